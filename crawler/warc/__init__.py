"""Write and read WARC files (ISO 28500)."""
