"""The state of the system, webhooks and the audit log, for administrators."""
