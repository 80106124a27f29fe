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

COMMON_FEATURE_HITS = 32  # hits from which a feature is weak evidence
MIN_RARE_HITS = 2  # hits on rarer features that a document needs to be compared for its own sake
MAX_WITNESSES = 16  # documents that prove a stretch common: twice as many as must share it to accuse nobody

# Documents from which a shared feature is a stop feature: more than share a subject, or than chance gives in a large
# index.
MIN_STOP_FEATURE_DOCUMENTS = 30
_STOP_FEATURE_SHARE = 1e-3
# Shares of stop features from which both texts are formulaic, as laws and recipes are. Any page may have an advert or
# an idiom, but then its source has none.
_MIN_PAGE_SHARE = 0.005
_MIN_WORK_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class StopFeatureShares:
    """Shares of stop features in the texts of a comparison, in [0, 1].

    page: of the page. of_work: returns that of a work, by its initials. It is called only for a formulaic page.
    """

    page: float
    of_work: Callable[[Initials], float]

    def in_both(self, work: Initials) -> bool:
        """Whether the page and this work are both formulaic, so that similar sentences are expected."""
        return self.page >= _MIN_PAGE_SHARE and self.of_work(work) >= _MIN_WORK_SHARE


NO_STOP_FEATURES = StopFeatureShares(0.0, lambda _: 0.0)


def mask_superfluous(rare: I64, stretches: I64) -> NDArray[np.bool_]:
    """Mark documents that only prove once more that a stretch is common. They are ordered by evidence.

    rare: i64[n], hits of each document on features with fewer than `COMMON_FEATURE_HITS`. stretches: i64[n], the
    stretch of the query with the best hits of each.
    """
    nothing = np.zeros(len(rare), np.bool_)
    if len(rare) <= MAX_WITNESSES:
        return nothing
    common = np.flatnonzero(rare < MIN_RARE_HITS)
    nothing[common[occurrence_rank(stretches[common]) >= MAX_WITNESSES]] = True
    return nothing


def share_of_stop_features(hits: Hits, asked: Features, documents: int) -> float:
    """Return the share of a text's places, in [0, 1], whose features are stop features.

    asked: the features that were looked up. documents: number in the index.
    """
    places = len(np.unique(asked.positions))
    min_documents = max(MIN_STOP_FEATURE_DOCUMENTS, _STOP_FEATURE_SHARE * documents)
    common_places = int(_count_common_places(hits.query_positions, hits.numbers, min_documents)) + hits.skipped
    return min(1.0, common_places / places) if places else 0.0


@compiled("i8(u4[::1], u4[::1], f8)")
def _count_common_places(places, numbers, min_documents):  # type: ignore[no-untyped-def]  # compiled
    """Count the places with hits in so many documents. A document counts once, however often it has the feature."""
    ends = np.zeros(places.max() + 2 if len(places) else 1, np.int64)
    for place in places:
        ends[place + 1] += 1
    is_common = ends[1:] >= min_documents
    if not is_common.any():
        return 0
    ends = np.cumsum(np.where(is_common, ends[1:], 0))
    next_free = ends - np.diff(np.append(0, ends))
    documents = np.empty(ends[-1], numbers.dtype)
    for hit in range(len(places)):
        if is_common[places[hit]]:
            documents[next_free[places[hit]]] = numbers[hit]
            next_free[places[hit]] += 1
    count = 0
    for place in np.flatnonzero(is_common):
        sharing = np.sort(documents[(ends[place - 1] if place else 0) : ends[place]])
        distinct = 1
        for hit in range(1, len(sharing)):
            distinct += sharing[hit] != sharing[hit - 1]
        count += distinct >= min_documents
    return count
