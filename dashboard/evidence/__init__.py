"""Request, list and download the exhibits of a case."""
