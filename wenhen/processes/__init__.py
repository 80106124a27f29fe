"""The processes of the product: what runs in each, and what keeps them running."""
