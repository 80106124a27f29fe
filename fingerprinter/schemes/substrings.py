"""Compare hashes of substrings: whole text, longest sentences, sif."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.schemes.indexes import BucketIndex, Numbers, SharedKeysScheme
from fingerprinter.schemes.jaccard import remove_space
from fingerprinter.schemes.scheme import KeyBuckets, Parameters, Scheme, SchemeFingerprint, SchemeIndex, word_hash
from fingerprinter.words.text import SchemeText

# Checksum and size: equal texts, and nothing else.


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
        characters = remove_space(text.characters)
        return (np.array([word_hash(characters, self.hash), len(characters)], np.uint64), None) if characters else None

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        return float(np.array_equal(first.keys, second.keys))


# Longest sentence and nshash: the hashes of the n longest sentences. Texts that share one count as copies.
#
# A sentence ends at 。！？ or at a line end. Long sentences seldom recur by chance, and edits elsewhere leave them
# alone. An edit in each of them hides the copy.


_SENTENCE_END = re.compile(r"(?<=[。！？])|[\r\n]+")
_PUNCTUATION = re.compile(r"[^\w]+")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without white space, punctuation and empty ones."""
    sentences = (_PUNCTUATION.sub("", remove_space(part)) for part in _SENTENCE_END.split(text))
    return [sentence for sentence in sentences if sentence]


def longest_sentences(text: str, count: int, shortest: int = 1) -> list[str]:
    """Return the longest distinct sentences, longest first, equal ones in order of the text."""
    different = dict.fromkeys(split_sentences(text))
    return sorted((sentence for sentence in different if len(sentence) >= shortest), key=len, reverse=True)[:count]


@dataclass(frozen=True)
class _Sentences(Scheme):
    count: int
    hash: str = "md5"
    shortest: int = 8  # characters: shorter sentences (他说, 是的) are common

    @property
    def threshold(self) -> float:
        return 1 / self.count  # one sentence

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return BucketIndex(self, buckets, lambda fingerprint: [int(key).to_bytes(8, "big") for key in fingerprint.keys])

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        chosen = longest_sentences(text.characters, self.count, self.shortest)
        keys = np.array([word_hash(sentence, self.hash) for sentence in chosen], np.uint64)
        return (keys, None) if len(keys) else None

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        return len(np.intersect1d(first.keys, second.keys)) / self.count


@dataclass(frozen=True)
class LongestSentence(_Sentences):
    """One sentence of a text."""

    count: int = 1
    least: ClassVar[int] = 50
    name = "longest-sentence"


@dataclass(frozen=True)
class Nshash(_Sentences):
    """Five sentences of a text."""

    count: int = 5
    least: ClassVar[int] = 100
    name = "nshash"


# sif (Manber, Finding similar files in a large file system, 1993): fingerprints of 50-byte substrings.
#
# A substring t1 … t50 of the UTF-8 text has the value F = t1 p^49 + t2 p^48 + … + t50 mod M, with p prime and M = 2^30.
# The next one follows by F' = p F + t51 - t1 p^50 mod M. Two selections keep the same substrings of both copies.
# sif-anchors keeps the 50 bytes behind common words. sif-all hashes every substring, and keeps those whose 8 lowest
# bits are zero and that do not overlap.
#
# The estimate is the bytes that shared fingerprints stand for, over the bytes of the shorter text. It may exceed 100 %.


SUBSTRING_BYTES = 50  # bytes
HASH_BASE = 1_000_003
HASH_MODULUS = 1 << 30
SELECTION_MASK = 0xFF  # bits that must be zero
# Words that are common enough for every text and rare enough to lie apart: modern and classical.
ANCHOR_WORDS = (
    "一个 没有 自己 我们 他们 这个 什么 知道 可以 时候 因为 不是 "
    "出来 起来 以为 不可 天下 之所 其人 不能 大夫 於是 于是 所谓"
)
_NO_ANCHOR = -1


@compiled("i8[::1](u1[::1])")
def rolling_hashes(content: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the fingerprint of every 50-byte substring, i64[n - 49], none for fewer bytes."""
    made = np.empty(max(0, len(content) - SUBSTRING_BYTES + 1), np.int64)
    power = np.int64(1)
    for _ in range(SUBSTRING_BYTES):
        power = power * HASH_BASE % HASH_MODULUS
    value = np.int64(0)
    for place in range(len(content)):
        value = (value * HASH_BASE + content[place]) % HASH_MODULUS
        if place >= SUBSTRING_BYTES:
            value = (value - content[place - SUBSTRING_BYTES] * power) % HASH_MODULUS
        if place >= SUBSTRING_BYTES - 1:
            made[place - SUBSTRING_BYTES + 1] = value
    return made


@compiled("i8[::1](i8[::1], i8)")
def _select_values(values: NDArray[np.int64], mask: int) -> NDArray[np.int64]:
    """Return the values whose masked bits are zero, without overlaps."""
    made = np.empty(len(values) // SUBSTRING_BYTES + 1, np.int64)
    count = 0
    place = 0
    while place < len(values):
        if values[place] & mask == 0:
            made[count] = values[place]
            count += 1
            place += SUBSTRING_BYTES
        else:
            place += 1
    return made[:count].copy()


def _utf8_bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8).copy()


@cache
def _anchor_starts() -> tuple[bytes, ...]:
    return tuple(anchor.encode() for anchor in ANCHOR_WORDS.split())


def anchor_places(content: bytes) -> list[int]:
    """Return the ascending byte offsets of anchors."""
    places = []
    for anchor in _anchor_starts():
        place = content.find(anchor)
        while place != _NO_ANCHOR:
            places.append(place)
            place = content.find(anchor, place + 1)
    return sorted(places)


@dataclass(frozen=True)
class _Sif(SharedKeysScheme):
    least_estimate: float = 0.1

    def _fixed_parameters(self) -> Parameters:
        return {"width": SUBSTRING_BYTES, "p": HASH_BASE, "modulus": HASH_MODULUS, "mask": SELECTION_MASK}

    @property
    def threshold(self) -> float:
        return self.least_estimate

    def _length(self, text: SchemeText) -> int:
        """Return the length in bytes."""
        return len(text.characters.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class SifAll(_Sif):
    """All substrings, of which one in 256 is kept."""

    least: ClassVar[int] = 300  # characters, for about three fingerprints
    name = "sif-all"

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  the estimate goes by lengths
        spacing = SELECTION_MASK + SUBSTRING_BYTES  # mean bytes between kept substrings
        return shared * spacing / np.minimum(lengths, query.length)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = np.unique(_select_values(rolling_hashes(_utf8_bytes(text.characters)), SELECTION_MASK)).astype(np.uint32)
        return (keys, None) if len(keys) else None


@dataclass(frozen=True)
class SifAnchors(_Sif):
    """The substrings behind anchors. Each stands for its share of the text."""

    anchors: str = ANCHOR_WORDS
    least: ClassVar[int] = 300
    name = "sif-anchors"

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:
        shorter_has = np.where(lengths < query.length, sizes, len(query.keys))
        return shared / shorter_has

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        content = _utf8_bytes(text.characters)
        values = rolling_hashes(content)
        places = [place for place in anchor_places(content.tobytes()) if place < len(values)]
        return (np.unique(values[places]).astype(np.uint32), None) if places else None
