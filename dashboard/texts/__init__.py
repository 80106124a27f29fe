"""Texts that somebody asks about: whose copies they are, and their fingerprints."""
