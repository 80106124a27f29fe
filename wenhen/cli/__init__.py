"""The command `wenhen`: a room a matter, one file a group of commands."""

from wenhen.cli.main import main

__all__ = ["main"]
