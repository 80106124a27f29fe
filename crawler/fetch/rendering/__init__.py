"""Pages whose text is there only after their scripts have run: the browser, one page in it, its way to the web.

Not here: what a rendered page says (`crawler.extract`).
"""
