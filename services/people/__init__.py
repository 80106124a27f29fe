"""Who may use the dashboard: users, their rights, passwords, tokens, sealed secrets."""
