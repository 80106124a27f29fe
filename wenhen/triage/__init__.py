"""Rules that decide on new leads by themselves."""
