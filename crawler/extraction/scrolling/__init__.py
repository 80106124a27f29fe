"""Find what a page loads when a reader scrolls."""
