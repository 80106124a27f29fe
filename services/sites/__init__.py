"""The watched sites: added, changed, paused, reached, surveyed."""
