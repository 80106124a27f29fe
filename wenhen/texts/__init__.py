"""Queries about any text: its sources, fingerprints and words."""
