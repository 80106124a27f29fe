"""dashboard.holders."""
