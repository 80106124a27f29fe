"""Crawls: queued, steered, delivered to the store, and when the next one is due."""
