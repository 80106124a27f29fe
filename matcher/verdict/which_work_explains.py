"""Which works explain which letters of a page: the letters that agree decide, not where passages begin and end.

A passage may span letters that its work does not have, an advert or a piece of another work; of such letters it
explains nothing, and stands in nobody's way.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.align import Aligned

_SHARED = 0.7  # share of a passage's letters that another one must have, too, to explain it at all
_SAME_TEXT = 0.9  # share of all letters that a work explains which another one must have, too, to hold the same text


def explains(other: Aligned, one: Aligned) -> bool:
    """Whether a passage of another work has most of the letters of the page that this one has."""
    return _share_of([one], _explained([other], [one])) >= _SHARED


def also_in(works: Sequence[Sequence[Aligned]]) -> list[list[int]]:
    """For the passages of each work in one page, the numbers of the works that hold the same text."""
    explained = [_explained(work, *works) for work in works]
    return [
        [
            number
            for number, theirs in enumerate(explained)
            if works[number] is not work and _share_of(work, theirs) >= _SAME_TEXT
        ]
        for work in works
    ]


def _explained(passages: Sequence[Aligned], *others: Sequence[Aligned]) -> NDArray[np.bool_]:
    """Which letters of the page these passages have, as far as any of these and the others reaches."""
    found = np.zeros(
        max((int(one.agreed[:, 0].max(initial=-1)) + 1 for each in (passages, *others) for one in each), default=0),
        np.bool_,
    )
    for one in passages:
        found[one.agreed[:, 0]] = True
    return found


def _share_of(passages: Sequence[Aligned], explained: NDArray[np.bool_]) -> float:
    has = [explained[one.agreed[:, 0]] for one in passages]
    letters = sum(map(len, has))
    return sum(int(np.count_nonzero(each)) for each in has) / letters if letters else 0.0
