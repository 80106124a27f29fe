"""dashboard.triage."""
