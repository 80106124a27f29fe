"""Pinyin written behind each character without a mark between (你nǐ 好hǎo), as above or below the lines of a primer.

It tells nothing that the characters do not. Where it stands in brackets, `pinyin_runs` sees it one by one.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import DIGIT_0, LATIN_A
from fingerprinter.normalize.pinyin_for_characters import LONGEST_SYLLABLE, initial_codes

_LEAST = 6  # characters in succession that have their reading behind them

_Letters = tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]


def without_readings(codes: NDArray[np.uint8], starts: NDArray[np.uint32], ends: NDArray[np.uint32]) -> _Letters:
    """The letters without the readings of those before them. codes: u8[n]; starts, ends: u32[n], as in `Letters`."""
    if _read(codes, initial_codes()) < _LEAST:
        return codes, starts, ends
    kept = _kept(codes, initial_codes())
    return codes[kept], starts[kept], ends[kept]


@compiled("i8(u1[::1], u1[::1])")
def _read(codes, initials):  # type: ignore[no-untyped-def]  # compiled
    """How many characters may have their reading behind them."""
    count = 0
    for place in range(1, len(codes)):
        if LATIN_A <= codes[place] < DIGIT_0 and codes[place - 1] < LATIN_A:
            count += initials[codes[place] - LATIN_A] == codes[place - 1]
    return count


@compiled("b1[::1](u1[::1], u1[::1])")
def _kept(codes, initials):  # type: ignore[no-untyped-def]  # compiled
    """Which letters are no readings."""
    kept = np.ones(len(codes), np.bool_)
    first = read = place = 0  # where the succession began, and how many it has
    while place < len(codes) - 1:
        end = place + 1
        while end < len(codes) and end - place <= LONGEST_SYLLABLE + 1 and codes[end] >= LATIN_A:
            end += 1
        letters = end - place - 1
        spelled = 0 < letters <= LONGEST_SYLLABLE and codes[place + 1] < DIGIT_0
        if codes[place] < LATIN_A and spelled and initials[codes[place + 1] - LATIN_A] == codes[place]:
            first = first if read else place
            read += 1
            if read >= _LEAST:
                since = first if read == _LEAST else place
                for at in range(since, end):
                    kept[at] = codes[at] < LATIN_A
        else:
            read = 0
        place = end if codes[place] < LATIN_A and letters else place + 1
    return kept
