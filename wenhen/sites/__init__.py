"""Watched sites: settings, access, mirrors, registrations."""
