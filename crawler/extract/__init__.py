"""Bytes of a page -> text, title, author, chapters: pure, from bytes that are given.

Not here: fetching, and what several pages have in common beyond the lines of their host's template.
"""
