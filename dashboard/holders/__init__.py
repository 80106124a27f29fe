"""Manage rights holders and their documents, on screen and by API."""
