"""Find copies outside the watched sites by search engines."""
