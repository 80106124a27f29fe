"""Notices of infringement: drafting, approval, sending, replies and deadlines."""
