"""Pages whose text stands in pictures: which pictures may hold it, what is written in them, and where on the page.

Not here: fetching them (`crawler.spiders.fetch_page_assets`), and pictures that lie in files (`crawler.extract.files`).
"""
