"""How often characters and pairs of them stand in texts like these: what sharing one of them is worth.

Counted in a sample of the works that are protected; where they are few, jieba's dictionary stands in for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.words.segmenter import code_points
from matcher.suspicion.characters import Characters

STRETCH = 200  # characters: of such a stretch the shares are told
_PAIRS = 1 << 22  # places of the table of pairs
_CODES = 0x10000
GENERAL = 300.0  # stretches that the dictionary counts for

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Shares of stretches that hold something, in (0, 1). characters: f4[code]; pairs: f4[`pair_places`]."""

    characters: F32
    pairs: F32

    def shares(self, text: Characters) -> "Shares":
        """Those of all that a text holds, looked up once."""
        codes = text.codes
        return Shares(self.characters[character_places(codes)], self.pairs[pair_places(codes[:-1], codes[1:])])


class Shares(NamedTuple):
    """Shares of stretches that hold each of a text's n characters, f4[n], and each of its pairs, f4[n - 1]."""

    characters: F32
    pairs: F32


def pair_places(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.int64]:
    """i64[n]: where in the table pairs of characters stand; some share a place."""
    mixed = (first.astype(np.uint64) << np.uint64(32) | second) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(42)).astype(np.int64)


def character_places(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """i64[n]: where in the table characters stand."""
    return np.minimum(codes, _CODES - 1).astype(np.int64)


def learn(texts: Iterable[Characters]) -> Background:
    """The background of a library, from a sample of its texts."""
    characters, pairs = np.zeros(_CODES, np.float32), np.zeros(_PAIRS, np.float32)
    stretches = 0
    for text in texts:
        for begin in range(0, len(text), STRETCH):
            codes = text.codes[begin : begin + STRETCH]
            both = (codes[:-1] > 0) & (codes[1:] > 0)
            characters[np.unique(character_places(codes[codes > 0]))] += 1
            pairs[np.unique(pair_places(codes[:-1][both], codes[1:][both]))] += 1
            stretches += 1
    general, whole = _general(), stretches + GENERAL + 1
    return Background(
        (characters + GENERAL * general.characters + np.float32(0.5)) / np.float32(whole),
        (pairs + GENERAL * general.pairs + np.float32(0.5)) / np.float32(whole),
    )


@cache
def _general() -> Background:
    """What jieba's dictionary tells of Chinese at large: by the frequency of its words."""
    counts = _word_counts()
    codes = code_points("".join(counts))
    lengths = np.fromiter(map(len, counts), np.int64, len(counts))
    each = np.repeat(np.fromiter(counts.values(), np.float64, len(counts)), lengths)
    inside = np.ones(len(codes), np.bool_)  # whether another character of the same word follows
    inside[np.cumsum(lengths) - 1] = False
    inside = inside[:-1]
    characters = np.bincount(character_places(codes), each, _CODES)
    pairs = np.bincount(pair_places(codes[:-1][inside], codes[1:][inside]), each[:-1][inside], _PAIRS)
    whole = each.sum()
    return Background(_share(characters, whole), _share(pairs, whole))


def _word_counts() -> dict[str, int]:
    """How often each word of the dictionary stands in jieba's corpus; jieba itself reads it for longer, to cut texts by
    it.
    """
    import jieba

    with jieba.get_dict_file() as lines:
        parts = lines.read().decode().split()  # of each line the word, its count, its kind
    return dict(zip(parts[::3], map(int, parts[1::3]), strict=True))


def _share(counts: NDArray[Any], whole: float) -> F32:
    """The share of stretches that hold what is counted so often among all."""
    share = np.zeros(len(counts), np.float32)
    held = np.flatnonzero(counts)  # most places of the table of pairs are empty
    share[held] = 1 - np.exp(-STRETCH * (counts[held] / whole))
    return share
