"""Extract text, title, author, date, links and posts from a captured page.

The input is bytes or a response. The package fetches nothing and does not depend on the rest of the crawler.
"""
