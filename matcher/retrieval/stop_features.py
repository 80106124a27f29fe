"""Discount features with a high document frequency."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.compiled import compiled
from fingerprinter.features.model import Features
from matcher.index.postings import I64, occurrence_rank
from matcher.index.protocol import Hits

COMMON_FEATURE_HITS = 32  # hits of a feature, from which on it says little about who copied from whom
MIN_RARE_HITS = 2  # hits on rarer features that a document needs to be looked at for its own sake
MAX_WITNESSES = (
    16  # documents that show that a stretch is common; twice as many as must share it until it accuses nobody
)

# Documents that share a feature, from which on it is a formula: more than texts on one matter, and more than chance
# gives in a large index.
MIN_STOP_FEATURE_DOCUMENTS = 30
_STOP_FEATURE_SHARE = 1e-3
# Texts that are written in formulae, as laws and recipes are: so much of either. A page of any kind may have an advert
# or an idiom; its source then has none.
_MIN_PAGE_SHARE = 0.005
_MIN_WORK_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class StopFeatureShares:
    """How far the texts of a comparison are written in formulae, as shares in [0, 1] of their features.

    page: of the page. of_work: of a work, by its letters; asked only where the page has formulae.
    """

    page: float
    of_work: Callable[[Initials], float]

    def in_both(self, work: Initials) -> bool:
        """Whether a likeness of a sentence between the page and this work is to be expected."""
        return self.page >= _MIN_PAGE_SHARE and self.of_work(work) >= _MIN_WORK_SHARE


NO_STOP_FEATURES = StopFeatureShares(0.0, lambda _: 0.0)


def mask_superfluous(rare: I64, stretches: I64) -> NDArray[np.bool_]:
    """Of documents in the order of their evidence, those that only say once more that a stretch is common.

    rare: i64[n], hits of each document on features with fewer than `COMMON_FEATURE_HITS`; stretches: i64[n], where in
    the query the best of each lies.
    """
    nothing = np.zeros(len(rare), np.bool_)
    if len(rare) <= MAX_WITNESSES:
        return nothing
    common = np.flatnonzero(rare < MIN_RARE_HITS)
    nothing[common[occurrence_rank(stretches[common]) >= MAX_WITNESSES]] = True
    return nothing


def share_of_stop_features(hits: Hits, asked: Features, documents: int) -> float:
    """The share of a text's places, in [0, 1], whose features stand in so many documents that they are formulae.

    asked: the features that were looked up; documents: how many the index holds.
    """
    places = len(np.unique(asked.positions))
    least = max(MIN_STOP_FEATURE_DOCUMENTS, _STOP_FEATURE_SHARE * documents)
    formulae = int(_count_common_places(hits.query_positions, hits.numbers, least)) + hits.skipped
    return min(1.0, formulae / places) if places else 0.0


@compiled("i8(u4[::1], u4[::1], f8)")
def _count_common_places(places, numbers, least):  # type: ignore[no-untyped-def]  # compiled
    """At how many places so many documents have hits; one counts once, however often it repeats the feature."""
    ends = np.zeros(places.max() + 2 if len(places) else 1, np.int64)
    for place in places:
        ends[place + 1] += 1
    telling = ends[1:] >= least
    if not telling.any():
        return 0
    ends = np.cumsum(np.where(telling, ends[1:], 0))
    free = ends - np.diff(np.append(0, ends))
    documents = np.empty(ends[-1], numbers.dtype)
    for at in range(len(places)):
        if telling[places[at]]:
            documents[free[places[at]]] = numbers[at]
            free[places[at]] += 1
    found = 0
    for place in np.flatnonzero(telling):
        some = np.sort(documents[(ends[place - 1] if place else 0) : ends[place]])
        different = 1
        for at in range(1, len(some)):
            different += some[at] != some[at - 1]
        found += different >= least
    return found
