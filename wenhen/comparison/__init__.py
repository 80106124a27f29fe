"""Compare fingerprint schemes on texts of the user's own."""
