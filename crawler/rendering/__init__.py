"""Render pages in a browser that reaches public addresses only."""
