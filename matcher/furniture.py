"""What recurs on a page outside of what it copied: adverts, watermarks, the site's name. It is no text of anybody.

Between two pieces of a passage such furniture tells nothing, however long it is.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

_GRAM = 10
_CODE_BITS = 6


@njit("b1[::1](Array(u1, 1, 'C', readonly=True), b1[::1])", cache=True)
def recurring(codes: NDArray[np.uint8], taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which letters lie in a gram that stands at least twice among those that are not taken."""
    count = len(codes)
    found = np.zeros(count, np.bool_)
    grams = np.empty(max(0, count - _GRAM + 1), np.int64)
    places = np.empty(len(grams), np.int64)
    mask = (1 << (_CODE_BITS * _GRAM)) - 1
    gram = free = size = 0
    for place in range(count):
        gram = ((gram << _CODE_BITS) | codes[place]) & mask
        free = 0 if taken[place] else free + 1
        if free >= _GRAM:
            grams[size] = gram
            places[size] = place - _GRAM + 1
            size += 1
    order = np.argsort(grams[:size], kind="mergesort")
    first = 0
    while first < size:
        last = first + 1
        while last < size and grams[order[last]] == grams[order[first]]:
            last += 1
        if last - first > 1:
            for rank in range(first, last):
                place = places[order[rank]]
                found[place : place + _GRAM] = True
        first = last
    return found
