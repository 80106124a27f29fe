"""Notices of infringement: drafting, approval, sending, replies, deadlines."""
