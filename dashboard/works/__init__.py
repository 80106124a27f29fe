"""The library: list, upload, edit, heat map, timeline."""
