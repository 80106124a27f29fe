"""dashboard.texts."""
