"""Notify programs of cases, on screen and by API."""
