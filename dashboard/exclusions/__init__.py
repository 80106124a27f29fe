"""dashboard.exclusions."""
