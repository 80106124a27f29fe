"""Decide what a crawl follows and what it captures."""
