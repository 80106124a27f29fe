"""Crawl runs: when they are due, what they do, how they end."""
