"""Rules that are applied to new leads automatically."""
