"""The queue, the case with both texts side by side, and their API."""
