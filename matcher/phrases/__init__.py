"""Phrases in many texts: found by four letters in a row, by script and sound alike, and marked where they stand.

Not here: who copied from whom (`matcher.index`, `matcher.ranking`), which rests on rarer and longer units.
"""
