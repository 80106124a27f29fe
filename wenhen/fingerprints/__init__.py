"""The fingerprints of works and pages, as they are stored."""
