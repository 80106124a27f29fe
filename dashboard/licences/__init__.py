"""dashboard.licences."""
