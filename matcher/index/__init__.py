"""The inverted index: feature → works, in Redis or in memory."""
