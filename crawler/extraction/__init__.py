"""Extract text, title, author, date, links and posts from a captured page.

It takes bytes or a response. It fetches nothing, and it needs nothing of the rest of the crawler.
"""
