"""Runs: how far they are, and what they missed."""
