"""Marked copies: which copy of a text went to whom, and from which copy a pirate's text stems."""
