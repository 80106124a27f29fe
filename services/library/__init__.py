"""The works as people tend them: what is said of them set right, one or many at once, and doubles merged."""
