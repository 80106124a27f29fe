"""What a crawl has still to fetch, and has seen, in memory and in Redis; and Scrapy's scheduler on it.

Not here: the port (`crawler.crawl.frontier_port`), and how an address is asked for (`crawler.fetch`).
"""
