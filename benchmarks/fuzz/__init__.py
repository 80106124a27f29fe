"""Feed malformed bytes to everything that reads foreign input."""
