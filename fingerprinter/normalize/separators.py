"""One character that stands between all others (云口在口山口上): it is a separator, whatever it means elsewhere.

Marks that give no letter anyway are left out without a look at what is around.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.normalize.glance import LAST_ASCII, SEPARATED

_NOTHING = 0x200B  # gives no letter, and keeps the place

_Points = NDArray[np.uint32]


def without_separators(points: _Points) -> _Points:
    """The code points of a text, its separators replaced by one that gives no letter. points: u32[n]."""
    read: _Points = _blanked(points.copy())
    return read


@njit("u4[::1](u4[::1])", cache=True, nogil=True)
def _blanked(points):  # type: ignore[no-untyped-def]  # compiled
    place = 2
    while place < len(points):
        end, others = place, 0
        while end < len(points) and points[end] == points[place - 2] != points[end - 1] and points[end] > LAST_ASCII:
            others += end > place and points[end - 1] != points[end - 3]
            end += 2
        if (end - place) // 2 >= SEPARATED and 2 * others >= (end - place) // 2:
            for at in range(place - 2, end, 2):
                points[at] = _NOTHING
            place = end
        place += 1
    return points
