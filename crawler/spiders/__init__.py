"""Which pages of a site are asked for: the spiders, and the rules by which they know lists, traps, blocks and mirrors.

Not here: how pages are asked for (`crawler.fetch`), and what a page says (`crawler.extract`).
"""
