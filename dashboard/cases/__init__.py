"""The screen of a case and what is done from it; a text held against the library; the queue, in a room of its own.

Not here: what a decision does (`services.cases`).
"""
