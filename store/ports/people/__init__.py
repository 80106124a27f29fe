"""Who uses the product, what they may and did, and who is told: users, sessions, tokens, audit log, webhooks."""
