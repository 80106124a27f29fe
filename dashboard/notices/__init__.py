"""Manage notices, platforms and replies, on screen and by API."""
