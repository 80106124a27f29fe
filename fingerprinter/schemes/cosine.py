"""Cosine of the angle between the TF-IDF vectors of two texts (Salton 1975).

With plain counts 我喜欢看电视，不喜欢看电影。 and 我不喜欢看电视，也不喜欢看电影。 come to 13 / (√12 · √16) = 93.8 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.hashes import word_hashes
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Reads, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText
from fingerprinter.schemes.words.weights import WordWeights, default_weights, tf_idf
from fingerprinter.schemes.words.words import telling


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of two sparse vectors, in [0, 1] where nothing is negative; 0 where one of them is empty."""
    product = fsum(weight * other.get(word, 0.0) for word, weight in one.items())
    sizes = sqrt(fsum(w * w for w in one.values()) * fsum(w * w for w in other.values()))
    return product / sizes if sizes else 0.0


@dataclass(frozen=True)
class Cosine(SharedScheme):
    """All words but stop words, weighted by TF-IDF, as a vector of length 1."""

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
        worth = tf_idf(telling(text.words), self.weights)
        size = sqrt(fsum(w * w for w in worth.values()))
        if not size:
            return None
        keys = word_hashes(tuple(worth))
        order = np.argsort(keys)
        weights = np.fromiter(worth.values(), np.float32, len(worth)) / np.float32(size)
        return keys[order], weights[order]
