"""Signing in, sessions, one's own account, and the people that an administrator lets in."""
