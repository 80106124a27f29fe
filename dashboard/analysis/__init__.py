"""Figures, charts and the map of copies."""
