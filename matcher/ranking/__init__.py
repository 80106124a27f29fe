"""Postings -> the works that a text is likeliest copied from."""
