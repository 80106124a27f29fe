"""The fingerprints of the field, beside ours, for comparison."""
