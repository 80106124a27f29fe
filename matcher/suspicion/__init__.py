"""Suspected rewriting: texts that may be told anew in other words, which no letter shows, for a person to judge.

Not here: an index's server, the store.
"""
