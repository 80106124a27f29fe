"""Manage the library: list, upload, edit, heat map, timeline."""
