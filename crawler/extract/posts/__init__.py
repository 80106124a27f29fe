"""The posts of a thread: who wrote each, when, whom it quotes, and where in the page's text it stands.

Not here: which lines of a page are its text.
"""
