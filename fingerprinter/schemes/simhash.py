"""Simhash (Charikar 2002; Manku, Jain, Das Sarma 2007): one word of f bits that few changed words change in few bits.

Every word of the text is hashed to f bits and votes with its weight, + for a 1 and − for a 0, on each of them; the
sign of each sum is a bit of the fingerprint. Weights 4 and 5 with the hashes 100101 and 101011 give 101011.

Words by jieba, stop words left out, the `top` words by TF-IDF; weights are the TF-IDF ("real") or five levels of it
("levels"). Not to be trusted below 300 characters: too few words vote.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.hamming import OfBits
from fingerprinter.schemes.hashes import word_hashes
from fingerprinter.schemes.scheme import Reads
from fingerprinter.schemes.words.text import SchemeText
from fingerprinter.schemes.words.weights import WordWeights, default_weights, tf_idf
from fingerprinter.schemes.words.words import telling

_LEVELS = 5


def votes(hashes: Sequence[int] | NDArray[np.uint64], weights: Sequence[float], bits: int) -> NDArray[np.float64]:
    """f64[bits]: for each bit, the highest first, the weights of the hashes that have it less those of the others."""
    words = np.asarray(hashes, np.uint64)
    places = np.arange(bits - 1, -1, -1, dtype=np.uint64)
    signs = (words[:, None] >> places & np.uint64(1)).astype(np.float64) * 2 - 1
    return np.asarray(weights, np.float64) @ signs


def simhash(hashes: Sequence[int] | NDArray[np.uint64], weights: Sequence[float], bits: int = 64) -> int:
    """The fingerprint of weighted hashes: bits whose votes are above zero."""
    return int("".join("1" if vote > 0 else "0" for vote in votes(hashes, weights, bits)), 2)


def top_words(words: tuple[str, ...], weights: WordWeights, top: int) -> list[tuple[str, float]]:
    """The `top` words by TF-IDF with it, best first, of equal ones the first by code point; stop words left out."""
    worth = tf_idf(telling(words), weights)
    return sorted(worth.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def levels(worth: Sequence[float]) -> list[float]:
    """Weights 1 to 5: fifths of the greatest."""
    most = max(worth, default=0.0)
    return [float(min(_LEVELS, max(1, math.ceil(_LEVELS * each / most)))) if most else 1.0 for each in worth]


@dataclass(frozen=True)
class Simhash(OfBits):
    """Documents within `distance` bits, found by `distance` + 1 tables."""

    bits: int = 64
    distance: int = 3
    top: int = 200
    weighting: Literal["levels", "real"] = "levels"
    hash: str = "md5"
    weights: WordWeights = field(default_factory=default_weights)

    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 300

    @property
    def name(self) -> str:
        return f"simhash-{self.bits}"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        chosen = top_words(text.words, self.weights, self.top)
        if not chosen:
            return None
        words, worth = zip(*chosen, strict=True)
        voices = levels(worth) if self.weighting == "levels" else worth
        value = simhash(word_hashes(words, self.hash), voices, self.bits)
        return np.array([value], np.uint64 if self.bits > 32 else np.uint32), None
