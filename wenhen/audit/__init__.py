"""The audit log: a chain of entries that nobody can change unseen."""
