"""Separate the main text of a page from its boilerplate."""
