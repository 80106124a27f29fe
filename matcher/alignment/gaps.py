"""What inside a passage was not copied: letters of the one text that the other one does not have there."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import Letters

Gaps = tuple[tuple[int, int], ...]


def gaps(letters: Letters, shreds: NDArray[np.bool_], agreed: NDArray[np.int32], span: tuple[int, int]) -> Gaps:
    """The stretches of a span whose letters are not shared, in code points, ends exclusive, in order.

    letters: of the whole text. shreds: bool[n], agreed: i32[k], which of them and the numbers of those that are shared.
    What has no letter (punctuation, spaces) belongs to a gap where it lies inside of one.
    """
    starts, ends = letters.starts, letters.ends
    if not letters.in_order:
        order = np.argsort(starts, kind="stable")
        starts, ends, shreds = starts[order], ends[order], shreds[order]
        agreed = np.argsort(order)[agreed].astype(np.int32)
    bounds = _gaps(starts, ends, shreds, agreed, *span).tolist()
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))


_PLACES = "Array(u4, 1, 'C', readonly=True)"


@compiled(f"i8[::1]({_PLACES}, {_PLACES}, b1[::1], i4[:], i8, i8)")
def _gaps(starts, ends, shreds, agreed, start, end):  # type: ignore[no-untyped-def]  # compiled
    """Starts and ends of the gaps, by turns."""
    first = np.searchsorted(starts, np.uint32(start))
    last = np.searchsorted(starts, np.uint32(end))
    shared = shreds[first:last].copy()
    for at in agreed:
        if first <= at < last:
            shared[at - first] = True
    bounds = np.empty(len(shared) + 2, np.int64)
    count = 0
    for at in range(len(shared)):
        if shared[at]:
            continue
        if at == 0 or shared[at - 1]:
            bounds[count] = starts[first + at]
            count += 2
        bounds[count - 1] = ends[first + at]
    return bounds[:count].copy()
