"""dashboard.crawls."""
