"""Turn initials into features: frequency windows, segments, hashes."""
