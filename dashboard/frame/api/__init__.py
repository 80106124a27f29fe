"""dashboard.frame.api."""
