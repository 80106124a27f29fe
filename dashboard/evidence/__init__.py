"""Exhibits of a case: asked for, listed, handed out."""
