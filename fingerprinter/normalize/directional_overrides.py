"""Text that a directional override shows the other way round (U+202E, Unicode Standard Annex 9), in the order shown.

What is written backwards behind such a character reads as usual on the page, and as nothing to a filter of words.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

OVERRIDE = "\u202e"
_OVERRIDE, _END, _NEWLINE = ord(OVERRIDE), 0x202C, 10

_Points = NDArray[np.uint32]


def shown_order(points: _Points) -> NDArray[np.int64] | None:
    """The order in which a text's code points are shown: i64[n], a permutation; None where none is overridden.

    points: u32[n]. An override ends with its mark or with the line; one inside of another changes nothing.
    """
    return _shown(points) if (points == _OVERRIDE).any() else None


@compiled("i8[::1](Array(u4, 1, 'C', readonly=True))")
def _shown(points: _Points) -> NDArray[np.int64]:
    order = np.arange(len(points))
    begin = -1
    for place in range(len(points) + 1):
        ends = place == len(points) or points[place] == _END or points[place] == _NEWLINE
        if begin >= 0 and ends:
            order[begin:place] = order[begin:place][::-1].copy()
            begin = -1
        elif begin < 0 and not ends and points[place] == _OVERRIDE:
            begin = place + 1
    return order
