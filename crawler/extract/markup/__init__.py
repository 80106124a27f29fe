"""How much of a page's markup can be parsed, which selectors can be asked of it, and what its styles hide.

Not here: which of its lines are the text (`crawler.extract.choosing`).
"""
