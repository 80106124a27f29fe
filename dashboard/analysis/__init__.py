"""dashboard.analysis."""
