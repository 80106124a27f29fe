"""What letters tell: a Han character is one choice of its writer, a Latin word is one choice and many letters."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import DIGIT_0, LATIN_A
from matcher.alignment.blocks import Blocks

# In Han letters.
_LATIN_WEIGHT = 0.4
_DIGIT_WEIGHT = 0.5

Floats = NDArray[np.float64]


@compiled("f8[::1](Array(u1, 1, 'C', readonly=True))")
def told(codes: NDArray[np.uint8]) -> Floats:
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
