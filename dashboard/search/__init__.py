"""Search all kinds of records at once."""
