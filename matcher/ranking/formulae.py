"""Documents that share nothing with a page but what very many share: a few of them tell as much as all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.feature_arrays import Features
from fingerprinter.letters import Letters
from matcher.index.nth_of_its_kind import I64, nth_of_its_kind
from matcher.index.port import Hits

COMMON = 32  # hits of a feature, from which on it says little about who copied from whom
RARE = 2  # hits on rarer features that a document needs to be looked at for its own sake
WITNESSES = 16  # documents that show that a stretch is common; twice as many as must share it until it accuses nobody

# Documents that share a feature, from which on it is a formula: more than texts on one matter, and more than chance
# gives in a large index.
FORMULA = 30
_FORMULA_SHARE = 1e-3
# Texts that are written in formulae, as laws and recipes are: so much of either. A page of any kind may have an advert
# or an idiom; its source then has none.
_OF_PAGE = 0.005
_OF_WORK = 0.01


@dataclass(frozen=True, slots=True)
class Formulae:
    """How far the texts of a comparison are written in formulae, as shares in [0, 1] of their features.

    page: of the page. of_work: of a work, by its letters; asked only where the page has formulae.
    """

    page: float
    of_work: Callable[[Letters], float]

    def in_both(self, work: Letters) -> bool:
        """Whether a likeness of a sentence between the page and this work is to be expected."""
        return self.page >= _OF_PAGE and self.of_work(work) >= _OF_WORK


NO_FORMULAE = Formulae(0.0, lambda _: 0.0)


def superfluous(rare: I64, stretches: I64) -> NDArray[np.bool_]:
    """Of documents in the order of their evidence, those that only say once more that a stretch is common.

    rare: i64[n], hits of each document on features with fewer than `COMMON`; stretches: i64[n], where in the query the
    best of each lies.
    """
    nothing = np.zeros(len(rare), np.bool_)
    if len(rare) <= WITNESSES:
        return nothing
    common = np.flatnonzero(rare < RARE)
    nothing[common[nth_of_its_kind(stretches[common]) >= WITNESSES]] = True
    return nothing


def common_share(hits: Hits, asked: Features, documents: int) -> float:
    """The share of a text's places, in [0, 1], whose features stand in so many documents that they are formulae.

    asked: the features that were looked up; documents: how many the index holds.
    """
    places = len(np.unique(asked.positions))
    least = max(FORMULA, _FORMULA_SHARE * documents)
    formulae = int(_often(hits.query_positions, hits.numbers, least)) + hits.skipped
    return min(1.0, formulae / places) if places else 0.0


@compiled("i8(u4[::1], u4[::1], f8)")
def _often(places, numbers, least):  # type: ignore[no-untyped-def]  # compiled
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
