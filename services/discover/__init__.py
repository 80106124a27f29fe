"""Copies outside the watched sites: a work's telling sentences asked of a search engine."""
