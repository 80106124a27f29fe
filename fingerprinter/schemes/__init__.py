"""The fingerprint schemes, one a file."""
