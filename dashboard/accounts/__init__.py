"""dashboard.accounts."""
