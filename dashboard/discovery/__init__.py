"""dashboard.discovery."""
