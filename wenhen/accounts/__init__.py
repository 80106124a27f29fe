"""People who may sign in: users, sessions, passwords, second factors, tokens."""
