"""dashboard.pages."""
