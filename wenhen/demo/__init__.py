"""The whole chain on sample works and a small web of sample pages."""
