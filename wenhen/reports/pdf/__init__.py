"""The report on paper: PDF/A-3 with tags and a seal."""
