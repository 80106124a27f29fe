"""Shared terms: texts of which 80 % of the terms are the same and whose sizes lie within 20 % of each other."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.hashes import word_hashes
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Reads, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText
from fingerprinter.schemes.words.words import telling


@dataclass(frozen=True)
class Terms(SharedScheme):
    """The different words of a text but stop words; shared over those of the text that has more of them."""

    share: float = 0.8
    size_within: float = 0.2

    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 100
    name = "terms"

    @property
    def threshold(self) -> float:
        return self.share

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:
        alike = np.abs(lengths - query.length) <= self.size_within * np.maximum(lengths, query.length)
        return np.where(alike, shared / np.maximum(sizes, len(query.keys)), 0.0)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = np.unique(word_hashes(tuple(dict.fromkeys(telling(text.words)))))
        return (keys, None) if len(keys) else None
