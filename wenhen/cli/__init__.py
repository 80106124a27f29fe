"""The command `wenhen`, one file a group."""

from wenhen.cli.main import main

__all__ = ["main"]
