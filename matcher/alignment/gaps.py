"""What inside a passage was not copied: letters of the one text that the other one does not have there."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import Letters

Gaps = tuple[tuple[int, int], ...]


def gaps(letters: Letters, shared: NDArray[np.bool_], start: int, end: int) -> Gaps:
    """The stretches of [start, end) whose letters are not shared, in code points, ends exclusive, in order.

    letters: of the whole text. shared: bool[n], for each of them. What has no letter (punctuation, spaces) belongs to a
    gap where it lies inside of one.
    """
    if letters.in_order:
        first, last = np.searchsorted(letters.starts, np.array((start, end), np.uint32))
        inside = np.arange(first, last)
    else:
        inside = np.flatnonzero((letters.starts >= start) & (letters.starts < end))
        inside = inside[np.argsort(letters.starts[inside], kind="stable")]
    other = np.concatenate(([False], ~shared[inside], [False]))
    changes = np.flatnonzero(other[1:] != other[:-1])
    starts, ends = letters.starts[inside[changes[::2]]], letters.ends[inside[changes[1::2] - 1]]
    return tuple(zip(starts.tolist(), ends.tolist(), strict=True))
