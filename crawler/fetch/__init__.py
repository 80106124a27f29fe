"""Ask a server for a page: inside public addresses only, with retries, redirects and conditional requests."""
