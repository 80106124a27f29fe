"""Decide whether a comparison opens a case. Pages, uploaded texts and benchmarks share this rule.

1. The shared text is more than a quotation (`matcher.attribution.verdict`).
2. No other work explains the shared text better, and it is not common to many works or many unrelated pages
(`matcher.attribution.resolve_sources.resolve_sources`).
3. The probability is at least `matcher.open_score`, unless the user set a shorter minimum passage than the default.
4. The page is not on a site of the holder of the work.

A licence does not prevent a case. The case is marked as licensed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from matcher.attribution.align_pair import Comparison
from matcher.attribution.apply_exclusions import is_still_copy
from matcher.attribution.resolve_sources import resolve_sources
from matcher.attribution.text_on_many_pages import StoredPages
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.model import Match
from matcher.retrieval.ranking import NO_STOP_FEATURES, StopFeatureShares
from wenhen.works.model import Work

if TYPE_CHECKING:  # imports pymongo
    from wenhen.holders.repository import Holders


class JudgedComparison(NamedTuple):
    """A comparison of a text with one work, and whether it fulfils conditions 1 to 3."""

    comparison: Comparison
    accuses: bool


def judge_comparisons(
    comparisons: Sequence[Comparison],
    open_score: float,
    formulae: StopFeatureShares = NO_STOP_FEATURES,
    common_texts: Sequence[Comparison] = (),
    pages: StoredPages | None = None,
) -> list[JudgedComparison]:
    """Judge comparisons of one text with different works in view of each other, in the same order.

    common_texts: comparisons with common texts, which accuse nobody. pages: the stored pages, of which many unrelated
    ones may share what the text shares.
    """
    settled = resolve_sources(comparisons, formulae, common_texts, pages)
    return [
        JudgedComparison(
            outcome, outcome.accuse and is_likely_copy(outcome.verdict.score, open_score, outcome.pair.shortest)
        )
        for outcome in settled
    ]


def is_likely_copy(score: float, open_score: float, shortest: int) -> bool:
    """Return whether the probability suffices, or the user set a shorter minimum passage than the default."""
    return shortest < MAX_QUOTATION_INITIALS or score >= open_score


def is_accusing_alone(comparison: Comparison | None, open_score: float) -> bool:
    """Return whether a comparison accuses a text that shares nothing with other works."""
    return comparison is not None and judge_comparisons([comparison], open_score)[0].accuses


def is_remainder_accusing(left: Match, open_score: float, shortest: int = MAX_QUOTATION_INITIALS) -> bool:
    """Return whether the rest of a match after exclusions still opens a case (conditions 1 and 3)."""
    return is_still_copy(left, shortest) and is_likely_copy(left.score, open_score, shortest)


def is_on_own_site(holders: "Holders", work: Work, url: str) -> bool:
    """Return whether a URL is on a site of the holder of the work."""
    return work.owner is not None and holders.at_home(work.owner, url)
