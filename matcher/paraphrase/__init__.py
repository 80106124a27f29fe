"""Find works that a page may retell in other words."""
