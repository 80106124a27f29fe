"""Exclude parts of cases from the match, on screen and by API."""
