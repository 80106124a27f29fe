"""What a crawl has still to fetch, and has seen: the port, in memory and in Redis; and Scrapy's scheduler on it."""
