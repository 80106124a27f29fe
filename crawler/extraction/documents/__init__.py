"""Read documents that are no web pages: PDF, Word, RTF, e-books, plain text, archives."""
