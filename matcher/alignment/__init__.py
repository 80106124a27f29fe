"""Align a page with a candidate work: seeding, chaining, extension."""
