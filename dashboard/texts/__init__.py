"""Check texts for copied passages, and show their fingerprints."""
