"""Text -> letters: any string, whatever its script, encoding or disguise, with the way back to its characters."""
