"""Anchors: the places in a stream of letters at which features begin, chosen by what stands there.

A place is an anchor when its pair of letters has the smallest hash of the pairs within a radius; every copy of the
passage has the same anchors, however far it moved. These are open syncmers (R. Edgar, "Syncmers are more sensitive than
minimizers for selecting conserved k-mers", PeerJ 2021) with the smallest pair in the middle: unlike in winnowing, both
sides choose the same grams, so that a query needs no more features than the index has.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import LETTER_CODES

RADIUS = 3
# Odd, so that no two pairs share a hash; the order of the products is as good as random.
_PAIR_FACTOR = 0x9E3B


@compiled("u2[::1](Array(u1, 1, 'C', readonly=True))")
def pair_hashes(codes: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Hash of letters i and i + 1, u16[n - 1]; one to one."""
    hashes = np.empty(max(0, len(codes) - 1), np.uint16)
    for place in range(len(hashes)):
        hashes[place] = (codes[place] * LETTER_CODES + codes[place + 1]) * _PAIR_FACTOR
    return hashes


@compiled("u4[::1](u2[::1])")
def anchors(hashes: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Places, ascending, whose hash is the smallest within `RADIUS`: the first of equals, none where one repeats."""
    count = len(hashes)
    smallest = np.zeros(count, np.uint8)
    # Written out, so that the compiler makes vector instructions of it.
    for place in range(RADIUS, count - RADIUS):
        here = hashes[place]
        smallest[place] = (
            (here < hashes[place - 3])
            & (here < hashes[place - 2])
            & (here < hashes[place - 1])
            & (here <= hashes[place + 1])
            & (here <= hashes[place + 2])
            & (here <= hashes[place + 3])
        )
    places = np.empty(count, np.uint32)
    found = 0
    for place in range(count):
        places[found] = place
        found += smallest[place]
    return places[:found]
