"""Which features an index leaves out, for standing in too many texts or too often in one."""

from typing import Final

REPEATS: Final = 8  # places of one feature that count in one document, or in one query: the first ones
# Postings of one feature above which it says nothing about who copied from whom, and is left out; what is common below
# that is `matcher.ranking.formulae`.
HOT: Final = 1_000
# The same of a rare word: of those that more works have a look-up, which reads few postings, leaves out nearly all.
HOT_WORD: Final = 256
