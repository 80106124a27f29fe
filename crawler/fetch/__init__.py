"""Between scheduler and server: how a page is asked for, politely, safely and through which way.

Not here: which addresses are asked for (`crawler.spiders`), and which comes next (`crawler.frontier`).
"""
