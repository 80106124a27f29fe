"""Show alerts, and manage the alert rules of each user."""
