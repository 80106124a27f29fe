"""Decide whether a comparison opens a case. Pages, uploaded texts and benchmarks share this rule.

1. A page shares with a work what is more than a quotation (`matcher.verdict.quotation`).
2. It stands beside what the page shares with other works: no other explains it better, and it is not common to many
   (`matcher.attribution.resolve_sources.resolve_sources`).
3. Its probability is `matcher.open_score` or more, unless the user set a shorter passage than usual.
4. The page is not on a site of the work's own holder.

A licence keeps no case from opening: the case is marked with it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from matcher.attribution.align_pair import Comparison
from matcher.attribution.apply_exclusions import is_still_copy
from matcher.attribution.resolve_sources import resolve_sources
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.model import Match
from matcher.retrieval.stop_features import NO_STOP_FEATURES, StopFeatureShares
from wenhen.works.model import Work

if TYPE_CHECKING:  # it brings pymongo
    from wenhen.holders.repository import Holders


class JudgedComparison(NamedTuple):
    """A comparison of a text with one work, and whether it accuses the text: whether it opens a case, but for 4."""

    comparison: Comparison
    accuses: bool


def judge_comparisons(
    comparisons: Sequence[Comparison],
    open_score: float,
    formulae: StopFeatureShares = NO_STOP_FEATURES,
    common_texts: Sequence[Comparison] = (),
) -> list[JudgedComparison]:
    """The comparisons of one text with different works, each judged in view of the others; in the same order.

    common_texts: those of the text with common texts, which accuse nobody.
    """
    settled = resolve_sources(comparisons, formulae, common_texts)
    return [
        JudgedComparison(
            outcome, outcome.accuse and is_likely_copy(outcome.verdict.score, open_score, outcome.pair.shortest)
        )
        for outcome in settled
    ]


def is_likely_copy(score: float, open_score: float, shortest: int) -> bool:
    """Whether what is shared counts: by its probability, or as the user set a shortest passage below the usual one."""
    return shortest < MAX_QUOTATION_INITIALS or score >= open_score


def is_accusing_alone(comparison: Comparison | None, open_score: float) -> bool:
    """Whether a comparison accuses a text that shares nothing with any other work."""
    return comparison is not None and judge_comparisons([comparison], open_score)[0].accuses


def is_remainder_accusing(left: Match, open_score: float, shortest: int = MAX_QUOTATION_INITIALS) -> bool:
    """Whether what people left of a match, once they excluded text from it, still opens a case: 1 and 3 of it."""
    return is_still_copy(left, shortest) and is_likely_copy(left.score, open_score, shortest)


def is_on_own_site(holders: "Holders", work: Work, url: str) -> bool:
    """Whether an address is on a site of the work's own holder, where no case opens."""
    return work.owner is not None and holders.at_home(work.owner, url)
