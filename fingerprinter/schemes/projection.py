"""Random projection (Johnson, Lindenstrauss 1984) and random hyperplanes (Charikar 2002) of the TF-IDF vector.

Every word has a random direction in n dimensions, drawn from a normal distribution that its hash seeds; the text is the
sum of its words' directions, by weight. The projection keeps the real values, and the cosine of two of them estimates
that of the texts. The hyperplanes keep one bit a dimension, the side on which the text lies; of two texts at an angle θ
a bit differs with probability θ / π.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.mixing import absorb, finish
from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.hamming import OfBits
from fingerprinter.schemes.hashes import word_hashes
from fingerprinter.schemes.indexes.vector_index import VectorIndex
from fingerprinter.schemes.scheme import Reads, Scheme, SchemeFingerprint, SchemeIndex
from fingerprinter.schemes.words.text import SchemeText
from fingerprinter.schemes.words.weights import WordWeights, default_weights, tf_idf
from fingerprinter.schemes.words.words import telling


@compiled("f8[::1](u8[::1], f8[::1], i8, u8)")
def _sum_of_directions(
    hashes: NDArray[np.uint64], weights: NDArray[np.float64], dimensions: int, seed: np.uint64
) -> NDArray[np.float64]:
    """f64[dimensions], even: normal numbers two at a time (Box, Muller 1958) from the hash of word and dimension."""
    made = np.zeros(dimensions, np.float64)
    for place in range(len(hashes)):
        state = absorb(absorb(seed, hashes[place]), np.uint64(dimensions))
        for pair in range(dimensions // 2):
            state = absorb(state, np.uint64(pair))
            drawn = finish(state)
            # Two uniform numbers of 32 bits each, the first above 0.
            first = ((drawn >> np.uint64(32)) + 1.0) / 4294967296.0
            turn = 2 * np.pi * ((drawn & np.uint64(0xFFFFFFFF)) / 4294967296.0)
            length = weights[place] * np.sqrt(-2 * np.log(first))
            made[2 * pair] += length * np.cos(turn)
            made[2 * pair + 1] += length * np.sin(turn)
    return made


def project(worth: Mapping[str, float], dimensions: int, seed: int) -> NDArray[np.float32]:
    """f32[dimensions]: the sum of the words' directions by weight, as a vector of length 1; 0 for no words.

    Raises ValueError for an odd number of dimensions.
    """
    if dimensions < 2 or dimensions % 2:
        raise ValueError(f"{dimensions} dimensions: an even number is needed")
    weights = np.fromiter(worth.values(), np.float64, len(worth))
    total = _sum_of_directions(word_hashes(tuple(worth)), weights, dimensions, np.uint64(seed))
    size = float(np.linalg.norm(total))
    made: NDArray[np.float32] = (total / size if size else total).astype(np.float32)
    return made


@dataclass(frozen=True)
class _Projected(Scheme):
    seed: int = 1
    weights: WordWeights = field(default_factory=default_weights)

    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 150

    def _projected(self, text: SchemeText, dimensions: int) -> NDArray[np.float32] | None:
        worth = tf_idf(telling(text.words), self.weights)
        return project(worth, dimensions, self.seed) if any(worth.values()) else None


@dataclass(frozen=True)
class RandomProjection(_Projected):
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
        vector = self._projected(text, self.dimensions)
        return None if vector is None else (np.empty(0, np.uint64), vector)

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        assert one.weights is not None
        assert other.weights is not None
        return float(one.weights @ other.weights)


@dataclass(frozen=True)
class RandomHyperplanes(_Projected, OfBits):
    """One bit a hyperplane; near words by tables, as with simhash."""

    bits: int = 64
    distance: int = 7
    name = "random-hyperplanes"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        vector = self._projected(text, self.bits)
        if vector is None:
            return None
        value = int("".join("1" if side > 0 else "0" for side in vector), 2)
        return np.array([value], np.uint64), None
