"""Hold the addresses that a crawl still has to fetch, in memory or in Redis."""
