"""Texts that somebody asks about: pasted ones, of which nothing is stored, and those of crawled pages."""
