"""Manage rules that decide on new leads, on screen and by API."""
