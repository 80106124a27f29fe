"""Weigh letters by how much information their agreement carries."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A
from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import Blocks

# What letters tell: a Han character is one choice of its writer, a Latin word is one choice and many letters.


# In Han letters.
_LATIN_WEIGHT = 0.4
_DIGIT_WEIGHT = 0.5

Floats = NDArray[np.float64]


@compiled("f8[::1](Array(u1, 1, 'C', readonly=True))")
def cumulative_information(codes: NDArray[np.uint8]) -> Floats:
    """f64[n + 1]: what the letters before each place tell, in Han letters."""
    sums = np.empty(len(codes) + 1, np.float64)
    total = 0.0
    sums[0] = 0.0
    for place in range(len(codes)):
        if codes[place] < LATIN_A:
            total += 1.0
        elif codes[place] < DIGIT_0:
            total += _LATIN_WEIGHT
        else:
            total += _DIGIT_WEIGHT
        sums[place + 1] = total
    return sums


def block_weights(blocks: Blocks, page_told: Floats) -> Floats:
    """f64[m]: letters that agree in a block less what its differences cost, each letter by what it tells."""
    mean = (page_told[blocks.page_end] - page_told[blocks.page_start]) / (blocks.page_end - blocks.page_start)
    weights: Floats = blocks.score / 2 * mean
    return weights


SAME_HAN_BITS: Final = 6.0
_SAME_SOUND_BITS: Final = 3.5
_LATIN_BITS: Final = 1.5


@compiled("f8(u1, u4, u4)")
def letter_bits(letter: int, page_point: int, work_point: int) -> float:
    """Bits of a letter that agrees. *_point: the code point behind it on either side."""
    if letter >= LATIN_A:
        return _LATIN_BITS
    return SAME_HAN_BITS if page_point == work_point else _SAME_SOUND_BITS
