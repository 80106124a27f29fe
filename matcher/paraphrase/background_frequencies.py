"""Count how often characters and bigrams occur in a library.

Counted in a sample of the works that are protected; where they are few, jieba's dictionary stands in for them.
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

STRETCH_CHARACTERS = 200  # characters: of such a stretch the shares are told
_PAIR_TABLE_SIZE = 1 << 22  # places of the table of pairs
_CHARACTER_TABLE_SIZE = 0x10000
DICTIONARY_STRETCHES = 300.0  # stretches that the dictionary counts for

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Shares of stretches that hold something, in (0, 1). characters: f4[code]; pairs: f4[`pair_place`]."""

    characters: F32
    pairs: F32


@compiled("i8(u4, u4)")
def pair_place(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Where in the table a pair of characters stands; some share a place."""
    mixed = (np.uint64(first) << np.uint64(32) | np.uint64(second)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(42))


@compiled("i8[::1](u4[::1], u4[::1])")
def _pair_places(first, second):  # type: ignore[no-untyped-def]  # compiled
    places = np.empty(len(first), np.int64)
    for at in range(len(first)):
        places[at] = pair_place(first[at], second[at])
    return places


def _character_places(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """i64[n]: where in the table characters stand."""
    return np.minimum(codes, _CHARACTER_TABLE_SIZE - 1).astype(np.int64)


def learn_background(texts: Iterable[PlainText]) -> Background:
    """The background of a library, from a sample of its texts."""
    characters, pairs = np.zeros(_CHARACTER_TABLE_SIZE, np.float32), np.zeros(_PAIR_TABLE_SIZE, np.float32)
    stretches = 0
    for text in texts:
        for begin in range(0, len(text), STRETCH_CHARACTERS):
            codes = text.codes[begin : begin + STRETCH_CHARACTERS]
            both = (codes[:-1] > 0) & (codes[1:] > 0)
            characters[np.unique(_character_places(codes[codes > 0]))] += 1
            pairs[np.unique(_pair_places(codes[:-1][both], codes[1:][both]))] += 1
            stretches += 1
    general, whole = _dictionary_background(), stretches + DICTIONARY_STRETCHES + 1
    return Background(
        (characters + DICTIONARY_STRETCHES * general.characters + np.float32(0.5)) / np.float32(whole),
        (pairs + DICTIONARY_STRETCHES * general.pairs + np.float32(0.5)) / np.float32(whole),
    )


@cache
def _dictionary_background() -> Background:
    """What jieba's dictionary tells of Chinese at large: by the frequency of its words."""
    counts = _word_counts()
    codes = character_codes("".join(counts))
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    each = np.repeat(np.fromiter(counts.values(), np.float64, len(counts)), lengths)
    inside = np.ones(len(codes), np.bool_)  # whether another character of the same word follows
    inside[np.cumsum(lengths) - 1] = False
    inside = inside[:-1]
    characters = np.bincount(_character_places(codes), each, _CHARACTER_TABLE_SIZE)
    pairs = np.bincount(_pair_places(codes[:-1][inside], codes[1:][inside]), each[:-1][inside], _PAIR_TABLE_SIZE)
    whole = each.sum()
    return Background(_share_of_stretches(characters, whole), _share_of_stretches(pairs, whole))


def _word_counts() -> dict[str, int]:
    """How often each word of the dictionary stands in jieba's corpus; jieba itself reads it for longer, to cut texts by
    it.
    """
    import jieba

    with jieba.get_dict_file() as lines:
        parts = lines.read().decode().split()  # of each line the word, its count, its kind
    return dict(zip(parts[::3], map(int, parts[1::3]), strict=True))


def _share_of_stretches(counts: NDArray[Any], whole: float) -> F32:
    """The share of stretches that hold what is counted so often among all."""
    share = np.zeros(len(counts), np.float32)
    held = np.flatnonzero(counts)  # most places of the table of pairs are empty
    share[held] = 1 - np.exp(-STRETCH_CHARACTERS * (counts[held] / whole))
    return share
