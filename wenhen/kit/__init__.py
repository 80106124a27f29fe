"""Shared basics of all packages: errors, messages, time, ids, storage."""
