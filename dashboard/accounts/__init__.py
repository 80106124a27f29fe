"""Manage users, sign-in and tokens, on screen and by API."""
