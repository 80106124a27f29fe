"""The index over phrases, for people who search."""
