"""The letters of a text: what the fingerprints, the index and the alignment work on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The twenty initials that a Mandarin syllable can start with; their place here is their code.
INITIALS = "bcdfghjklmnpqrstwxyz"
NO_INITIAL = 20  # a Han character whose syllable starts with a vowel (安 二 欧)
LATIN_A = 21  # 21..46: Latin letters a..z, a signal of their own
DIGIT_0 = 47  # 47..56: digits 0..9
LETTER_CODES = 57
CODE_BITS = 6  # of a code, where grams of letters are packed


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """The n letters of a normalised text, and where each one stands in the original.

    codes: u8[n], values below `LETTER_CODES`. starts, ends: u32[n], code points of the original that letter i stands
    for (ends exclusive; a syllable written as pinyin spans several, a ligature gives several letters that share one).
    length: code points of the original. in_order: whether the letters stand as they are read; else starts and ends
    descend where the text is written backwards, and leap where it is in columns.
    """

    codes: NDArray[np.uint8]
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    length: int
    in_order: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Code points of the original that letters [begin, end) cover; begin < end."""
        if self.in_order:
            return int(self.starts[begin]), int(self.ends[end - 1])
        return int(self.starts[begin:end].min()), int(self.ends[begin:end].max())

    def part(self, begin: int, end: int) -> "Letters":
        """The letters [begin, end), their places in the whole text kept."""
        return Letters(self.codes[begin:end], self.starts[begin:end], self.ends[begin:end], self.length)

    def only(self, places: NDArray[np.int64]) -> "Letters":
        """The letters at these places, ascending, as if the text had no others."""
        return Letters(self.codes[places], self.starts[places], self.ends[places], self.length, self.in_order)
