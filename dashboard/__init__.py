"""Flask: what operators see, and the reports that they export."""
