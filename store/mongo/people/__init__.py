"""People in MongoDB: users, sessions, tokens, guesses, the audit log and webhooks."""
