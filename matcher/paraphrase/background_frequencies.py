"""Count how often characters and bigrams occur in a library.

The counts come from a sample of the protected works. Where these are few, jieba's dictionary supplements them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.words.segmenter import character_codes
from matcher.paraphrase.plain_characters import PlainText

STRETCH_CHARACTERS = 200  # characters of the stretches in which terms are counted
_BIGRAM_TABLE_SIZE = 1 << 22  # slots of the table of bigrams
_CHARACTER_TABLE_SIZE = 0x10000
DICTIONARY_STRETCHES = 300.0  # weight of the dictionary, in stretches

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Shares of stretches that hold a term, in (0, 1). characters: f4[code]. bigrams: f4[`bigram_slot`]."""

    characters: F32
    bigrams: F32


@compiled("i8(u4, u4)")
def bigram_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Return the slot of a bigram in the table. Some bigrams share a slot."""
    mixed = (np.uint64(first) << np.uint64(32) | np.uint64(second)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(42))


@compiled("i8[::1](u4[::1], u4[::1])")
def _bigram_slots(first, second):  # type: ignore[no-untyped-def]  # compiled
    slots = np.empty(len(first), np.int64)
    for index in range(len(first)):
        slots[index] = bigram_slot(first[index], second[index])
    return slots


def _character_slots(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the slots of characters in the table: i64[n]."""
    return np.minimum(codes, _CHARACTER_TABLE_SIZE - 1).astype(np.int64)


def learn_background(texts: Iterable[PlainText]) -> Background:
    """Learn the background of a library from a sample of its texts."""
    characters, bigrams = np.zeros(_CHARACTER_TABLE_SIZE, np.float32), np.zeros(_BIGRAM_TABLE_SIZE, np.float32)
    stretches = 0
    for text in texts:
        for start in range(0, len(text), STRETCH_CHARACTERS):
            codes = text.codes[start : start + STRETCH_CHARACTERS]
            is_bigram = (codes[:-1] > 0) & (codes[1:] > 0)
            characters[np.unique(_character_slots(codes[codes > 0]))] += 1
            bigrams[np.unique(_bigram_slots(codes[:-1][is_bigram], codes[1:][is_bigram]))] += 1
            stretches += 1
    general, whole = _dictionary_background(), stretches + DICTIONARY_STRETCHES + 1
    return Background(
        (characters + DICTIONARY_STRETCHES * general.characters + np.float32(0.5)) / np.float32(whole),
        (bigrams + DICTIONARY_STRETCHES * general.bigrams + np.float32(0.5)) / np.float32(whole),
    )


@cache
def _dictionary_background() -> Background:
    """Estimate the background of Chinese from the word frequencies of jieba's dictionary."""
    counts = _word_counts()
    codes = character_codes("".join(counts))
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    frequencies = np.repeat(np.fromiter(counts.values(), np.float64, len(counts)), lengths)
    inside = np.ones(len(codes), np.bool_)  # whether another character of the word follows
    inside[np.cumsum(lengths) - 1] = False
    inside = inside[:-1]
    characters = np.bincount(_character_slots(codes), frequencies, _CHARACTER_TABLE_SIZE)
    bigrams = np.bincount(
        _bigram_slots(codes[:-1][inside], codes[1:][inside]), frequencies[:-1][inside], _BIGRAM_TABLE_SIZE
    )
    whole = frequencies.sum()
    return Background(_share_of_stretches(characters, whole), _share_of_stretches(bigrams, whole))


def _word_counts() -> dict[str, int]:
    """Return the count of each dictionary word in jieba's corpus. jieba itself loads it more slowly."""
    import jieba

    with jieba.get_dict_file() as lines:
        fields = lines.read().decode().split()  # each line has a word, its count and its kind
    return dict(zip(fields[::3], map(int, fields[1::3]), strict=True))


def _share_of_stretches(counts: NDArray[Any], whole: float) -> F32:
    """Return the share of stretches that hold each counted term."""
    share = np.zeros(len(counts), np.float32)
    used = np.flatnonzero(counts)  # most slots of the table of bigrams are empty
    share[used] = 1 - np.exp(-STRETCH_CHARACTERS * (counts[used] / whole))
    return share
