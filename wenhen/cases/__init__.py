"""Suspected copies: which there are, who decides, and what was decided."""
