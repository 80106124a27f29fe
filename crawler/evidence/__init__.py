"""A response kept as proof: its capture, and WARC files written and read back.

Not here: what the page says (`crawler.extract`).
"""
