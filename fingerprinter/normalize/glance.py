"""What a text shows at a glance, in one pass at memory speed: which of the rarer disguises have to be looked for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

SEPARATED = 8  # of one character in succession, each behind one other character
_STRIDE, _SAMPLES = 8, 4  # of a run of 32 letters and digits of ASCII so many are among those looked at
MARKED = 3  # figures that a mark, a space or a new line opens
LAST_ASCII = 0x7F

_Points = NDArray[np.uint32]


class Glance(NamedTuple):
    """Whether a text may have these."""

    separators: bool
    written_bytes: bool
    frames: bool


def glance(points: _Points) -> Glance:
    """A text's. points: u32[n]."""
    return Glance(*_glance(points))


@compiled("UniTuple(b1, 3)(Array(u4, 1, 'C', readonly=True))")
def _glance(points: _Points) -> tuple[bool, bool, bool]:
    alike = marked = 0  # no branch in this loop, so that it runs over several code points at once
    for place in range(2, len(points)):
        this, before = points[place], points[place - 1]
        alike += (this == points[place - 2]) & (this != before)
        figure = (this >= ord("0")) & (this <= ord("9"))
        marked += figure & ((before < ord("0")) | ((before > ord("9")) & (before < ord("A"))))
    sampled = longest = 0
    for place in range(0, len(points), _STRIDE):
        point = points[place]
        sampled = sampled + 1 if ord("/") <= point <= ord("z") or point == ord("+") else 0
        longest = max(longest, sampled)
    return alike >= SEPARATED, longest >= _SAMPLES, marked >= MARKED
