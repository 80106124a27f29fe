"""Weigh initials by how much information their agreement carries.

A Han character is one choice of its writer. A Latin word is one choice and many initials.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A
from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import Blocks

# Information of one initial, in Han initials.
_LATIN_WEIGHT = 0.4
_DIGIT_WEIGHT = 0.5

Floats = NDArray[np.float64]


@compiled("f8[::1](Array(u1, 1, 'C', readonly=True))")
def cumulative_information(codes: NDArray[np.uint8]) -> Floats:
    """Return f64[n + 1]: the information of the initials before each offset, in Han initials."""
    sums = np.empty(len(codes) + 1, np.float64)
    total = 0.0
    sums[0] = 0.0
    for index in range(len(codes)):
        if codes[index] < LATIN_A:
            total += 1.0
        elif codes[index] < DIGIT_0:
            total += _LATIN_WEIGHT
        else:
            total += _DIGIT_WEIGHT
        sums[index + 1] = total
    return sums


def block_weights(blocks: Blocks, page_info: Floats) -> Floats:
    """Return f64[m]: agreeing initials of each block less the cost of its differences, by information."""
    mean = (page_info[blocks.page_end] - page_info[blocks.page_start]) / (blocks.page_end - blocks.page_start)
    weights: Floats = blocks.score / 2 * mean
    return weights


SAME_HAN_BITS: Final = 6.0
_SAME_SOUND_BITS: Final = 3.5
_LATIN_BITS: Final = 1.5


@compiled("f8(u1, u4, u4)")
def letter_bits(letter: int, page_point: int, work_point: int) -> float:
    """Return the bits of an agreeing initial. *_point: the code point behind it on either side."""
    if letter >= LATIN_A:
        return _LATIN_BITS
    return SAME_HAN_BITS if page_point == work_point else _SAME_SOUND_BITS
