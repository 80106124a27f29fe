"""What every part of a crawl shares: its job and context, its counts, the ledger of its addresses, and the ports.

Not here: requests and responses (`crawler.fetch`), and what a page says (`crawler.extract`).
"""
