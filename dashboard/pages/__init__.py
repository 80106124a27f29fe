"""Crawled pages and their captures, on screen and by API."""
