"""Manage authorised reprints, on screen and by API."""
