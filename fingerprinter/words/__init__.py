"""Segment text into words, for the schemes that need words."""
