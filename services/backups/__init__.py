"""A backup of all that cannot be made again, written while the system works, and put back into an empty place."""
