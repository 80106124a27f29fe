"""Generate Chinese works without end, with the statistics of real prose."""
