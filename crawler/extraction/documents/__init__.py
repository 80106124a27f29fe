"""Read documents other than web pages: PDF, Word, RTF, e-books, plain text, archives."""
