"""Backup of a running installation, and its restoration."""
