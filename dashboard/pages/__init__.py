"""Show crawled pages and their captures, on screen and by API."""
