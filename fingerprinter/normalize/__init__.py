"""Undo obfuscation of a text before its initials are read."""
