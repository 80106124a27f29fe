"""The API's sites: watched, reached, crawled; what was captured there, and where else copies were discovered."""
