"""Which lines of a page are its text, and which say what stands around it.

Not here: reading the markup into lines (`crawler.extract.page_lines`).
"""
