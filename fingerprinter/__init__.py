"""Text → initials → features. Pure: no server, no framework."""
