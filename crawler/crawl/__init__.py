"""What every part of a crawl shares: its job, its counts, the ledger of its addresses, the port that it delivers to.

Not here: requests and responses (`crawler.fetch`), and what a page says (`crawler.extract`).
"""
