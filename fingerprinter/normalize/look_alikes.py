"""Tell which characters look alike, so that a writer may substitute one for the other (晴 for 睛, 未 for 末).

Look-alikes differ in one component that is a radical or itself looks alike, or in a stroke or two.
"""

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

LOOK_ALIKE_FILE = "look_alikes.npz"
PLANE_BITS = 16  # bits of a code point in the table: such texts do not use rarer characters


@cache
def look_alike_pairs() -> NDArray[np.uint32]:
    """Return u32[n], ascending: the lower code point of each pair << 16, and the higher one."""
    with (
        resources.files("fingerprinter").joinpath("tables", LOOK_ALIKE_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        pairs = np.cumsum(stored["steps"], dtype=np.uint32)
        pairs.flags.writeable = False
        return pairs


def is_look_alike(mine: int, theirs: int) -> bool:
    """Tell whether two code points are a pair of the table."""
    return bool(has_pair(mine, theirs, look_alike_pairs()))


@compiled("b1(u4, u4, Array(u4, 1, 'C', readonly=True))")
def has_pair(mine, theirs, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether two code points are among these pairs."""
    if mine >= 1 << PLANE_BITS or theirs >= 1 << PLANE_BITS or mine == theirs:
        return False
    key = (min(mine, theirs) << PLANE_BITS) | max(mine, theirs)
    place = np.searchsorted(pairs, np.uint32(key))
    return place < len(pairs) and pairs[place] == key
