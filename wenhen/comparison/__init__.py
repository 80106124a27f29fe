"""Comparison of fingerprint schemes on texts of the user."""
