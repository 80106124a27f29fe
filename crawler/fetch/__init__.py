"""Between scheduler and spider: how a page is asked for, politely, safely and through which way.

Not here: which addresses are asked for (`crawler.frontier`, `crawler.spiders`).
"""
