"""Mix feature hashes, and choose anchors by the smallest hash."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import LETTER_CODES
from fingerprinter.compiled import compiled
from fingerprinter.features.model import ANCHOR_RADIUS

# Different seeds keep the kinds of feature apart in one index.
GRAM_SEED = 0x5F0E5F2B9D3A1C47
FREQUENCY_SEED = 0x1D8E4E27C47D124F
_HASH_STEP = 0x9E3779B97F4A7C15


@compiled("u8(u8, u8)")
def absorb_value(state: np.uint64, value: np.uint64) -> np.uint64:
    """The state after one more value."""
    return (state + value + np.uint64(1)) * np.uint64(_HASH_STEP)


@compiled("u8(u8)")
def finalize_hash(state: np.uint64) -> np.uint64:
    """Every bit of the state spread over the whole word (the finaliser of MurmurHash3, A. Appleby)."""
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xFF51AFD7ED558CCD)
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xC4CEB9FE1A85EC53)
    return state ^ (state >> np.uint64(33))


# Anchors: the places in a stream of letters at which features begin, chosen by what stands there.
#
# A place is an anchor when its pair of letters has the smallest hash of the pairs within a radius; every copy of the
# passage has the same anchors, however far it moved. These are open syncmers (R. Edgar, "Syncmers are more sensitive
# than minimizers for selecting conserved k-mers", PeerJ 2021) with the smallest pair in the middle: unlike in
# winnowing, both sides choose the same grams, so that a query needs no more features than the index has.

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
def anchor_positions(hashes: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Places, ascending, with the smallest hash within `ANCHOR_RADIUS`: the first of equals, none where one repeats."""
    count = len(hashes)
    smallest = np.zeros(count, np.uint8)
    # Written out, so that the compiler makes vector instructions of it.
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
    found = 0
    for place in range(count):
        places[found] = place
        found += smallest[place]
    return places[:found]
