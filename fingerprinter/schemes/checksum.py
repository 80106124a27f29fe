"""Checksum and size: equal texts, and nothing else."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.hashes import word_hash
from fingerprinter.schemes.indexes.bucket_index import BucketIndex
from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeIndex
from fingerprinter.schemes.shingles import without_space
from fingerprinter.schemes.words.text import SchemeText


@dataclass(frozen=True)
class Checksum(Scheme):
    """A hash of the text without white space, and its size."""

    hash: str = "md5"
    least: ClassVar[int] = 1
    name = "checksum"
    threshold = 1.0

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return BucketIndex(self, buckets, lambda fingerprint: [fingerprint.keys.tobytes()])

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        said = without_space(text.characters)
        return (np.array([word_hash(said, self.hash), len(said)], np.uint64), None) if said else None

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return float(np.array_equal(one.keys, other.keys))
