"""Exclusions of passages, sources and common text from cases."""
