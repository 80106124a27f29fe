"""What texts are found by: every four letters in a row, each once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import Letters

LENGTH: Final = 4  # letters; of 20 initials there are 160,000 such grams, and a text of 1,300 characters has 950
_MOST: Final = 40  # grams of a phrase that are asked for; more make the answer no rarer


def grams(letters: Letters) -> NDArray[np.uint32]:
    """The distinct grams of a text, u32[n], ascending; none of a text of fewer than `LENGTH` letters."""
    codes = letters.codes.astype(np.uint32)
    if len(codes) < LENGTH:
        return np.empty(0, np.uint32)
    return np.unique(codes[:-3] << 18 | codes[1:-2] << 12 | codes[2:-1] << 6 | codes[3:])


def asked(letters: Letters) -> NDArray[np.uint32]:
    """The grams by which a phrase is asked for; of a long one some, spread over all of it."""
    every = grams(letters)
    if len(every) <= _MOST:
        return every
    return every[np.linspace(0, len(every) - 1, _MOST).astype(np.int64)]
