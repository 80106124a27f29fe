"""Screens and API of common texts."""
