"""Records of people: users, the audit log, webhooks."""
