"""dashboard.webhooks."""
