"""dashboard.evidence."""
