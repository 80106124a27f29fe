"""Decide which work explains a passage, and what is common or stock text."""
