"""Notices on screen: letters written, looked at, sent and answered, and those whom they go to."""
