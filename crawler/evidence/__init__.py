"""A response kept as proof: the capture, and WARC files written and read back.

Not here: what the page says.
"""
