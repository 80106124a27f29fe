"""Match pages with works: features → candidates → passages → verdict. Only the index needs a server (Redis)."""
