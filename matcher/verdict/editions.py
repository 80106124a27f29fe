"""When two works that a page shares text with are editions of one text: they have the same of it, and read alike."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import CODE_BITS

_EDITION = 0.3  # share of a work that the page has
_SAME = 0.9  # of the page's letters that either has, those that both have
_ALIKE = 0.75  # of the grams that either has, those that both have; a form differs in each of its slots
_GRAM = 4


def first_editions(works: Sequence[NDArray[np.uint8]], has: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each work, given by its letters, the first one that is the same text; itself where there is none.

    has: bool[works, letters of the page]: which of them each work has.
    """
    groups = np.arange(len(works))
    firsts: list[int] = []
    counts = has.sum(axis=1).tolist()
    for number, codes in enumerate(works):
        if counts[number] < _EDITION * len(codes):
            continue
        same = next((first for first in firsts if _same(works[first], codes, has[first], has[number])), None)
        if same is None:
            firsts.append(number)
        else:
            groups[number] = same
    return groups


def _same(
    one: NDArray[np.uint8], other: NDArray[np.uint8], has_one: NDArray[np.bool_], has_other: NDArray[np.bool_]
) -> bool:
    """Whether two works are one text, by their letters and by those of the page that either has."""
    if (has_one & has_other).sum() < _SAME * (has_one | has_other).sum():
        return False
    some, others = _grams(one), _grams(other)
    both = len(np.intersect1d(some, others, assume_unique=True))
    return both >= _ALIKE * (len(some) + len(others) - both)


def _grams(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The different grams of a work."""
    size = max(0, len(codes) - _GRAM + 1)
    shifted = (codes[at : at + size].astype(np.int64) << (CODE_BITS * at) for at in range(_GRAM))
    return np.unique(sum(shifted, np.zeros(size, np.int64)))
