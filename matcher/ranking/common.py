"""Documents that share nothing with a page but what very many share: a few of them tell as much as all."""

import numpy as np
from numpy.typing import NDArray

from matcher.index.port import Hits
from matcher.index.repeats import I64, nth_of_its_kind

COMMON = 32  # hits of a feature, from which on it says little about who copied from whom
RARE = 2  # hits on rarer features that a document needs to be looked at for its own sake
WITNESSES = 16  # documents that show that a stretch is common; twice as many as must share it until it accuses nobody


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
