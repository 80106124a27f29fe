"""Crawl, match, browse and export at once, and watch memory, answers and queues."""
