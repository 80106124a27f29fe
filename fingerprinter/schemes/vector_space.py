"""Compare TF-IDF vectors: cosine, simhash, random projection, random hyperplanes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.model import absorb_value, finalize_hash
from fingerprinter.schemes.indexes import BitScheme, Numbers, SharedKeysScheme, VectorIndex
from fingerprinter.schemes.scheme import KeyBuckets, Reads, Scheme, SchemeFingerprint, SchemeIndex, word_hashes
from fingerprinter.words.text import SchemeText, WordWeights, default_weights, remove_stop_words, tf_idf

# Cosine of the TF-IDF vectors of two texts (Salton 1975).
#
# With plain counts 我喜欢看电视，不喜欢看电影。 and 我不喜欢看电视，也不喜欢看电影。 have 13 / (√12 · √16) = 93.8 %.


@dataclass(frozen=True)
class Cosine(SharedKeysScheme):
    """All words without stop words, weighted by TF-IDF, as a unit vector."""

    least_cosine: float = 0.7
    weights: WordWeights = field(default_factory=default_weights)

    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 100
    name = "cosine"

    @property
    def threshold(self) -> float:
        return self.least_cosine

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  the vectors have length 1 already
        return shared

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], NDArray[Any]] | None:
        worth = tf_idf(remove_stop_words(text.words), self.weights)
        size = sqrt(fsum(w * w for w in worth.values()))
        if not size:
            return None
        keys = word_hashes(tuple(worth))
        order = np.argsort(keys)
        weights = np.fromiter(worth.values(), np.float32, len(worth)) / np.float32(size)
        return keys[order], weights[order]


# Simhash (Charikar 2002, and Manku, Jain, Das Sarma 2007): one word of f bits, of which few change with few words.
#
# Every word of the text is hashed to f bits. It votes with its weight on each bit, + for a 1 and − for a 0. The sign of
# each sum is a bit of the fingerprint. Weights 4 and 5 with the hashes 100101 and 101011 give 101011.
#
# The words are jieba's without stop words, the `top` ones by TF-IDF. Weights are the TF-IDF ("real") or five levels of
# it ("levels"). Below 300 characters too few words vote.


_WEIGHT_LEVELS = 5


def bit_votes(hashes: Sequence[int] | NDArray[np.uint64], weights: Sequence[float], bits: int) -> NDArray[np.float64]:
    """Return f64[bits], the highest bit first: weights of the hashes with the bit, less those of the others."""
    words = np.asarray(hashes, np.uint64)
    places = np.arange(bits - 1, -1, -1, dtype=np.uint64)
    signs = (words[:, None] >> places & np.uint64(1)).astype(np.float64) * 2 - 1
    return np.asarray(weights, np.float64) @ signs


def simhash_value(hashes: Sequence[int] | NDArray[np.uint64], weights: Sequence[float], bits: int = 64) -> int:
    """Return the fingerprint of weighted hashes: the bits with positive votes."""
    return int("".join("1" if vote > 0 else "0" for vote in bit_votes(hashes, weights, bits)), 2)


def top_words(words: tuple[str, ...], weights: WordWeights, top: int) -> list[tuple[str, float]]:
    """Return the `top` words by TF-IDF with their weights, best first, equal ones by code point. Stop words are left
    out.
    """
    worth = tf_idf(remove_stop_words(words), weights)
    return sorted(worth.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def weight_levels(worth: Sequence[float]) -> list[float]:
    """Return weights from 1 to 5: fifths of the greatest."""
    most = max(worth, default=0.0)
    return [
        float(min(_WEIGHT_LEVELS, max(1, math.ceil(_WEIGHT_LEVELS * each / most)))) if most else 1.0 for each in worth
    ]


@dataclass(frozen=True)
class Simhash(BitScheme):
    """Documents within `distance` bits, from `distance` + 1 tables."""

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
        voices = weight_levels(worth) if self.weighting == "levels" else worth
        value = simhash_value(word_hashes(words, self.hash), voices, self.bits)
        return np.array([value], np.uint64 if self.bits > 32 else np.uint32), None


# Random projection (Johnson, Lindenstrauss 1984) and random hyperplanes (Charikar 2002) of the TF-IDF vector.
#
# Every word has a random direction in n dimensions, from a normal distribution seeded by its hash. A text is the
# weighted sum of its words' directions. The projection keeps real values, whose cosine estimates that of the texts. The
# hyperplanes keep one bit a dimension, the side of the text. At an angle θ a bit differs with probability θ / π.


@compiled("f8[::1](u8[::1], f8[::1], i8, u8)")
def _sum_of_directions(
    hashes: NDArray[np.uint64], weights: NDArray[np.float64], dimensions: int, seed: np.uint64
) -> NDArray[np.float64]:
    """Return f64[dimensions], even: pairs of normal numbers (Box, Muller 1958) from the hash of word and dimension."""
    made = np.zeros(dimensions, np.float64)
    for place in range(len(hashes)):
        state = absorb_value(absorb_value(seed, hashes[place]), np.uint64(dimensions))
        for pair in range(dimensions // 2):
            state = absorb_value(state, np.uint64(pair))
            drawn = finalize_hash(state)
            # Two uniform numbers of 32 bits each, the first above 0.
            first = ((drawn >> np.uint64(32)) + 1.0) / 4294967296.0
            turn = 2 * np.pi * ((drawn & np.uint64(0xFFFFFFFF)) / 4294967296.0)
            length = weights[place] * np.sqrt(-2 * np.log(first))
            made[2 * pair] += length * np.cos(turn)
            made[2 * pair + 1] += length * np.sin(turn)
    return made


def project_words(worth: Mapping[str, float], dimensions: int, seed: int) -> NDArray[np.float32]:
    """Return the weighted sum of the words' directions as a unit vector, f32[dimensions], or zeros without words.

    Raise ValueError for an odd number of dimensions.
    """
    if dimensions < 2 or dimensions % 2:
        raise ValueError(f"{dimensions} dimensions: an even number is needed")
    weights = np.fromiter(worth.values(), np.float64, len(worth))
    total = _sum_of_directions(word_hashes(tuple(worth)), weights, dimensions, np.uint64(seed))
    size = float(np.linalg.norm(total))
    made: NDArray[np.float32] = (total / size if size else total).astype(np.float32)
    return made


@dataclass(frozen=True)
class _ProjectionScheme(Scheme):
    seed: int = 1
    weights: WordWeights = field(default_factory=default_weights)

    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 150

    def _project_text(self, text: SchemeText, dimensions: int) -> NDArray[np.float32] | None:
        worth = tf_idf(remove_stop_words(text.words), self.weights)
        return project_words(worth, dimensions, self.seed) if any(worth.values()) else None


@dataclass(frozen=True)
class RandomProjection(_ProjectionScheme):
    """Real values, compared with every document."""

    dimensions: int = 128
    least_cosine: float = 0.7
    name = "random-projection"

    @property
    def threshold(self) -> float:
        return self.least_cosine

    def index(self, buckets: KeyBuckets) -> SchemeIndex:  # noqa: ARG002  real values have no keys
        return VectorIndex(self)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], NDArray[Any]] | None:
        vector = self._project_text(text, self.dimensions)
        return None if vector is None else (np.empty(0, np.uint64), vector)

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        assert first.weights is not None
        assert second.weights is not None
        return float(first.weights @ second.weights)


@dataclass(frozen=True)
class RandomHyperplanes(_ProjectionScheme, BitScheme):
    """One bit a hyperplane. Tables find near words, as with simhash."""

    bits: int = 64
    distance: int = 7
    name = "random-hyperplanes"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        vector = self._project_text(text, self.bits)
        if vector is None:
            return None
        value = int("".join("1" if side > 0 else "0" for side in vector), 2)
        return np.array([value], np.uint64), None
