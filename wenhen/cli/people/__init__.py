"""Commands about people and programs: users, tokens, webhooks, alerts."""
