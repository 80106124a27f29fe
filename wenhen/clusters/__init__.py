"""Near-duplicate works and pages, joined in clusters."""
