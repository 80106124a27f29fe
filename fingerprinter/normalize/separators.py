"""One character that stands between all others (云口在口山口上): it is a separator, whatever it means elsewhere.

Marks that give no letter anyway are left out without a look at what is around.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.invisible import NOTHING
from fingerprinter.normalize.which_disguises import LAST_ASCII, SEPARATED

_Points = NDArray[np.uint32]


def without_separators(points: _Points) -> _Points:
    """The code points of a text, its separators replaced by one that gives no letter. points: u32[n]."""
    counts, others = _successions(points)
    read: _Points = _blanked(points.copy(), counts, others)
    return read


@compiled("UniTuple(i4[::1], 2)(Array(u4, 1, 'C', readonly=True))")
def _successions(points):  # type: ignore[no-untyped-def]  # compiled
    """i32[n] each: how often from here on the code point stands that stands two before; and how often what stands
    between changes. Told from the end, as looking ahead from each place would take the square of a text's length.
    """
    counts, others = np.zeros(len(points), np.int32), np.zeros(len(points), np.int32)
    for place in range(len(points) - 1, 1, -1):
        if points[place] != points[place - 2] or points[place] == points[place - 1] or points[place] <= LAST_ASCII:
            continue
        goes_on = place + 2 < len(points) and counts[place + 2] > 0
        counts[place] = 1 + (counts[place + 2] if goes_on else 0)
        others[place] = others[place + 2] + (points[place + 1] != points[place - 1]) if goes_on else 0
    return counts, others


@compiled("u4[::1](u4[::1], i4[::1], i4[::1])")
def _blanked(points, counts, others):  # type: ignore[no-untyped-def]  # compiled
    place = 2
    while place < len(points):
        if counts[place] >= SEPARATED and 2 * others[place] >= counts[place]:
            end = place + 2 * counts[place]
            for at in range(place - 2, end, 2):
                points[at] = NOTHING
            place = end
        place += 1
    return points
