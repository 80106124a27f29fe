"""Mix feature hashes, and choose anchors by the smallest hash."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import LETTER_CODES
from fingerprinter.compiled import compiled
from fingerprinter.features.model import ANCHOR_RADIUS

# Different seeds separate the kinds of feature in one index.
GRAM_SEED = 0x5F0E5F2B9D3A1C47
FREQUENCY_SEED = 0x1D8E4E27C47D124F
_HASH_STEP = 0x9E3779B97F4A7C15


@compiled("u8(u8, u8)")
def absorb_value(state: np.uint64, value: np.uint64) -> np.uint64:
    """Return the state after one more value."""
    return (state + value + np.uint64(1)) * np.uint64(_HASH_STEP)


@compiled("u8(u8)")
def finalize_hash(state: np.uint64) -> np.uint64:
    """Spread every bit of the state over the whole word (the finalizer of MurmurHash3, A. Appleby)."""
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xFF51AFD7ED558CCD)
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xC4CEB9FE1A85EC53)
    return state ^ (state >> np.uint64(33))


# Anchors: content-defined positions at which features begin.
#
# A position is an anchor if its pair of initials has the smallest hash within a radius. So every copy of a passage has
# the same anchors, wherever it moved. These are open syncmers with the smallest pair in the middle (R. Edgar, "Syncmers
# are more sensitive than minimizers for selecting conserved k-mers", PeerJ 2021). Unlike winnowing, both sides choose
# the same grams, so a query needs no more features than the index has.
#
# The factor is odd, so that no two pairs share a hash. The order of the products is as good as random.

# Odd, so that no two pairs share a hash; the order of the products is as good as random.
_PAIR_FACTOR = 0x9E3B


@compiled("u2[::1](Array(u1, 1, 'C', readonly=True))")
def pair_hashes(codes: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the injective hash of initials i and i + 1, u16[n - 1]."""
    hashes = np.empty(max(0, len(codes) - 1), np.uint16)
    for place in range(len(hashes)):
        hashes[place] = (codes[place] * LETTER_CODES + codes[place + 1]) * _PAIR_FACTOR
    return hashes


@compiled("u4[::1](u2[::1])")
def anchor_positions(hashes: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Return the ascending positions with the smallest hash within `ANCHOR_RADIUS`: the first of equals, none for
    repetition.
    """
    count = len(hashes)
    smallest = np.zeros(count, np.uint8)
    # Written out, so that the compiler vectorizes it.
    for place in range(ANCHOR_RADIUS, count - ANCHOR_RADIUS):
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
    anchors = 0
    for place in range(count):
        places[anchors] = place
        anchors += smallest[place]
    return places[:anchors]
