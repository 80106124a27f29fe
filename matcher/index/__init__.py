"""Features -> postings: the port of the inverted index, in Redis and in memory."""
