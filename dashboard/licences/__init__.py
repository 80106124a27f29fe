"""Authorised reprints, on screen and by API."""
