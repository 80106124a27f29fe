"""Features → candidates → passages → verdict. Pure, but for Redis behind the index."""
