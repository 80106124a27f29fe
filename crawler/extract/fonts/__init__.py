"""Pages whose font shows other characters than their markup holds: recognised, and read by the font's outlines.

Whether one is read so is decided elsewhere.
"""
