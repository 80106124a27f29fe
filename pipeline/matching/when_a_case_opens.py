"""The one rule by which a case opens: for pages, for texts that somebody asks about, and for what is measured.

1. A page shares with a work what is more than a quotation (`matcher.verdict.quotation`).
2. It stands beside what the page shares with other works: no other explains it better, and it is not common to many
   (`matcher.settle.settle`).
3. Its probability is `matcher.open_score` or more.
4. The page is not on a site of the work's own holder.

A licence keeps no case from opening: the case is marked with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from matcher.compare import Comparison
from matcher.ranking.formulae import NO_FORMULAE, Formulae
from matcher.settle import settle
from matcher.verdict.excluding import copies
from store.ports import Holders
from store.records import Match, Work


class Judged(NamedTuple):
    """A comparison of a text with one work, and whether it accuses the text: whether it opens a case, but for 4."""

    comparison: Comparison
    accuses: bool


def judged(comparisons: Sequence[Comparison], open_score: float, formulae: Formulae = NO_FORMULAE) -> list[Judged]:
    """The comparisons of one text with different works, each judged in view of the others; in the same order."""
    settled = settle(comparisons, formulae)
    return [Judged(one, one.accuse and one.verdict.score >= open_score) for one in settled]


def accuses_alone(comparison: Comparison | None, open_score: float) -> bool:
    """Whether a comparison accuses a text that shares nothing with any other work."""
    return comparison is not None and judged([comparison], open_score)[0].accuses


def left_accuses(left: Match, open_score: float) -> bool:
    """Whether what people left of a match, once they excluded text from it, still opens a case: 1 and 3 of it."""
    return copies(left) and left.score >= open_score


def at_home(holders: Holders, work: Work, url: str) -> bool:
    """Whether an address is on a site of the work's own holder, where no case opens."""
    return work.owner is not None and holders.at_home(work.owner, url)
