"""The state of the system, webhooks and the audit log, for administrators; what probes and browsers report."""
