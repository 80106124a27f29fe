"""Measure the product: speed, size, recall, and what survives faults. Not part of the wheel."""
