"""The API of the installation: its state, reports, the audit log, the people who use it, and who is told."""
