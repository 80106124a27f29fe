"""Show the queue and each case with both texts side by side, and serve their API."""
