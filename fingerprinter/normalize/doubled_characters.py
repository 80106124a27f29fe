"""Characters that are written twice (我我们们在在), again and again: the second one tells nothing.

Words that are written so by themselves (看看, 高高兴兴) stand alone, or a few together.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.invisible import NOTHING

FIRST_HAN = 0x3400
LEAST = 12  # such characters in succession ...
_BETWEEN = 6  # ... with so many places of other Han characters between two of them at most

_Points = NDArray[np.uint32]


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def has_doubles(points: _Points) -> bool:
    """Whether characters are written twice in succession, told at memory speed."""
    count = between = 0
    for place in range(1, len(points)):
        if _is_second(points, place):
            count = count + 1 if between <= _BETWEEN else 1
            between = -1  # the first of the next one is counted, too
            if count == LEAST:
                return True
        else:
            between += points[place] >= FIRST_HAN
    return False


@compiled("u4[::1](Array(u4, 1, 'C', readonly=True))")
def without_doubles(points: _Points) -> _Points:
    """The code points of a text, the second of two replaced by one that gives no letter. points: u32[n]."""
    read = points.copy()
    seconds = np.empty(len(points), np.int64)  # those in succession
    count = between = 0
    for place in range(1, len(points)):
        if not _is_second(points, place):
            between += points[place] >= FIRST_HAN
            continue
        count = count if between <= _BETWEEN else 0
        between = -1
        seconds[count] = place
        count += 1
        if count >= LEAST:
            read[seconds[:count] if count == LEAST else seconds[count - 1 : count]] = NOTHING
    return read


@compiled("b1(Array(u4, 1, 'C', readonly=True), i8)")
def _is_second(points: _Points, place: int) -> bool:
    """Whether a Han character stands there and right before, and no third time beside them."""
    this = points[place]
    if this < FIRST_HAN or points[place - 1] != this:
        return False
    behind = place + 1 < len(points) and points[place + 1] == this
    return not behind and not (place > 1 and points[place - 2] == this)
