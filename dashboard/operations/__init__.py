"""dashboard.operations."""
