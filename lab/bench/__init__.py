"""Benchmarks: speed and size against peers in the same run, and what each part of the method carries."""
