"""Books and documents that no browser shows as a page: PDF, Word, RTF, e-books, plain text, archives of these.

Not here: what becomes of a file as a page, or as works. All of it runs in the child (`crawler.isolated`).
"""
