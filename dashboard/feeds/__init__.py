"""Serve deadlines as a calendar and new cases as an Atom feed, at secret addresses."""
