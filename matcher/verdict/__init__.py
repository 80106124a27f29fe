"""Passages -> what they amount to: level, probability, reasons."""
