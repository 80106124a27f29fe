"""Mixing of features into 64 bits that an index can cut anywhere."""

import numpy as np

from fingerprinter.compiled import compiled

# Different seeds keep the kinds of feature apart in one index.
GRAM_SEED = 0x5F0E5F2B9D3A1C47
FREQUENCY_SEED = 0x1D8E4E27C47D124F
_STEP = 0x9E3779B97F4A7C15


@compiled("u8(u8, u8)")
def absorb(state: np.uint64, value: np.uint64) -> np.uint64:
    """The state after one more value."""
    return (state + value + np.uint64(1)) * np.uint64(_STEP)


@compiled("u8(u8)")
def finish(state: np.uint64) -> np.uint64:
    """Every bit of the state spread over the whole word (the finaliser of MurmurHash3, A. Appleby)."""
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xFF51AFD7ED558CCD)
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xC4CEB9FE1A85EC53)
    return state ^ (state >> np.uint64(33))
