"""Which blocks say where a text comes from: of those that claim one place, only the likeliest."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.blocks import Blocks
from matcher.alignment.letter_weights import Floats

_CROWD = 400  # blocks of a pair that are looked at; the heaviest
_BACKING = 0.5  # share of its own weight that a block gains at most from its neighbours
_NEAR = 32.0  # what letters between two blocks tell, up to which the backing is whole
_CERTAIN = 40  # letters; a block so long may take from the work what another one took: it was copied twice


def explaining(blocks: Blocks, weights: Floats, page_told: Floats, work_told: Floats) -> NDArray[np.int64]:
    """The numbers of these blocks, heaviest first. weights: f64[m]; *_told as in `matcher.alignment.letter_weights`."""
    order = np.argsort(-weights, kind="stable")[:_CROWD]
    if not len(order):
        return order
    letters = np.empty((len(order), 4), np.int32)
    for column, values in enumerate(blocks[:4]):
        letters[:, column] = values[order]
    kept: NDArray[np.int64] = order[_unexplained(letters, weights[order], page_told, work_told)]
    return kept


@compiled("i8[::1](i4[:,::1], f8[::1], f8[::1], f8[::1])")
def _unexplained(letters, weights, page_told, work_told):  # type: ignore[no-untyped-def]  # compiled
    """The blocks that are not for their greater part explained by heavier ones.

    Neighbours back a block, less the further away they are: of several places of a text that repeats itself, the one
    beside the rest of the passage counts.
    """
    m = len(letters)
    support = np.zeros(m, np.float64)
    for a in range(m):
        for b in range(a):
            page_overlap = min(letters[a, 1], letters[b, 1]) - max(letters[a, 0], letters[b, 0])
            work_overlap = min(letters[a, 3], letters[b, 3]) - max(letters[a, 2], letters[b, 2])
            if page_overlap > 0 or work_overlap > 0:
                continue  # rivals
            page_gap = max(
                page_told[letters[a, 0]] - page_told[letters[b, 1]], page_told[letters[b, 0]] - page_told[letters[a, 1]]
            )
            work_gap = max(
                work_told[letters[a, 2]] - work_told[letters[b, 3]], work_told[letters[b, 2]] - work_told[letters[a, 3]]
            )
            near = _NEAR / max(page_gap, work_gap, _NEAR)
            support[a] += near * weights[b]
            support[b] += near * weights[a]
    page = np.zeros(len(page_told), np.bool_)
    work = np.zeros(len(work_told), np.bool_)
    kept = np.empty(m, np.int64)
    count = 0
    backed = weights * (1.0 + _BACKING * support / max(1.0, support.max()))
    for block in np.argsort(-backed, kind="mergesort"):
        first, last = letters[block, 0], letters[block, 1]
        first_work, last_work = letters[block, 2], letters[block, 3]
        if 2 * page[first:last].sum() > last - first:
            continue
        if 2 * work[first_work:last_work].sum() > last_work - first_work and last - first < _CERTAIN:
            continue
        kept[count] = block
        count += 1
        page[first:last] = True
        work[first_work:last_work] = True
    return np.sort(kept[:count])
