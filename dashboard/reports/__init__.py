"""Download reports, or create them in the background."""
