"""User accounts: users, sessions, passwords, second factors and tokens."""
