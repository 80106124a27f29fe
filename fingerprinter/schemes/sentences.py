"""Longest sentence and nshash: the hashes of the n longest sentences; texts that share one are taken for copies.

A sentence ends at 。！？ or at the end of a line. Long sentences seldom recur by chance, and an edit elsewhere does not
touch them; an edit in each of them hides the copy.
"""

import re
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

_END = re.compile(r"(?<=[。！？])|[\r\n]+")
_UNSAID = re.compile(r"[^\w]+")


def sentences(text: str) -> list[str]:
    """The sentences of a text in their order, white space and punctuation left out; empty ones are none."""
    said = (_UNSAID.sub("", without_space(part)) for part in _END.split(text))
    return [sentence for sentence in said if sentence]


def longest(text: str, count: int, shortest: int = 1) -> list[str]:
    """The longest sentences, each once, longest first and of equal ones the first in the text."""
    different = dict.fromkeys(sentences(text))
    return sorted((one for one in different if len(one) >= shortest), key=len, reverse=True)[:count]


@dataclass(frozen=True)
class _Sentences(Scheme):
    count: int
    hash: str = "md5"
    shortest: int = 8  # characters; shorter sentences (他说, 是的) are everybody's

    @property
    def threshold(self) -> float:
        return 1 / self.count  # one of them

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return BucketIndex(self, buckets, lambda fingerprint: [int(key).to_bytes(8, "big") for key in fingerprint.keys])

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        chosen = longest(text.characters, self.count, self.shortest)
        keys = np.array([word_hash(one, self.hash) for one in chosen], np.uint64)
        return (keys, None) if len(keys) else None

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return len(np.intersect1d(one.keys, other.keys)) / self.count


@dataclass(frozen=True)
class LongestSentence(_Sentences):
    """One sentence a text."""

    count: int = 1
    least: ClassVar[int] = 50
    name = "longest-sentence"


@dataclass(frozen=True)
class Nshash(_Sentences):
    """Five sentences a text."""

    count: int = 5
    least: ClassVar[int] = 100
    name = "nshash"
