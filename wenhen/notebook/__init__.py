"""Offer the product to Python without servers. `import wenhen` gives notebooks and scripts these names."""
