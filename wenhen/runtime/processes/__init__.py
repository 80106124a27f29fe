"""Programs that the supervisor or a container starts."""
