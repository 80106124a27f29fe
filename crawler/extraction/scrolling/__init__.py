"""Find the content that a page loads on scrolling."""
