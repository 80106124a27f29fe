"""Documents that share nothing with a page but what very many share: a few of them tell as much as all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.feature_arrays import Features
from fingerprinter.letters import Letters
from matcher.index.port import Hits
from matcher.index.repeats import I64, nth_of_its_kind

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


def superfluous(hits: Hits, numbers: I64, stretches: I64) -> NDArray[np.bool_]:
    """Of documents in the order of their evidence, those that only say once more that a stretch is common.

    numbers: i64[n], documents; stretches: i64[n], where in the query the best of each lies.
    """
    nothing = np.zeros(len(numbers), np.bool_)
    if len(numbers) <= WITNESSES:
        return nothing
    shared = np.bincount(hits.query_positions)[hits.query_positions]
    rare = np.sort(hits.numbers[shared < COMMON])
    own = np.searchsorted(rare, numbers, side="right") - np.searchsorted(rare, numbers)
    common = np.flatnonzero(own < RARE)
    nothing[common[nth_of_its_kind(stretches[common]) >= WITNESSES]] = True
    return nothing


def common_share(hits: Hits, asked: Features, documents: int) -> float:
    """The share of a text's places, in [0, 1], whose features stand in so many documents that they are formulae.

    asked: the features that were looked up; documents: how many the index holds.
    """
    places = len(np.unique(asked.positions))
    least = max(FORMULA, _FORMULA_SHARE * documents)
    often = np.bincount(hits.query_positions, minlength=1)[hits.query_positions] >= least
    # A document counts once, however often it repeats the feature.
    pairs = np.unique(hits.query_positions[often].astype(np.uint64) << np.uint64(32) | hits.numbers[often])
    shared = np.bincount((pairs >> np.uint64(32)).astype(np.int64))
    formulae = int(np.count_nonzero(shared >= least)) + hits.skipped
    return min(1.0, formulae / places) if places else 0.0
