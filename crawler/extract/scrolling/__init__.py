"""Pages that load more as one scrolls: where they say they load it from, and what the JSON says that comes.

Nothing is run. Not here: what of an answer is followed and stored.
"""
