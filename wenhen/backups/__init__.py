"""Back up an installation while it works, and restore it."""
