"""Text -> letters -> features. Pure: no server, no framework."""
