"""Compare sets of shingles or terms: Jaccard coefficient, MinHash, shared terms."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.schemes.indexes import BucketIndex, Numbers, SharedKeysScheme
from fingerprinter.schemes.scheme import (
    KeyBuckets,
    Reads,
    Scheme,
    SchemeFingerprint,
    SchemeIndex,
    character_units,
    shingle_hashes,
    word_hashes,
)
from fingerprinter.words.text import SchemeText, remove_stop_words

# k-shingles and the Jaccard coefficient (Broder 1997): the set of all k units in a row, shared ones over all.
#
# "a rose is a rose is a rose" has three 4-shingles.


def remove_space(text: str) -> str:
    """Return the text without white space, which sites add and remove freely."""
    return "".join(text.split())


def character_shingles(text: str, k: int) -> NDArray[np.uint64]:
    """Return the ascending distinct hashes of all shingles of k characters, u64[n]."""
    return np.unique(shingle_hashes(character_units(remove_space(text)), k))


def word_shingles(words: tuple[str, ...], k: int) -> NDArray[np.uint64]:
    """Return the ascending distinct hashes of all shingles of k words, u64[n]."""
    return np.unique(shingle_hashes(word_hashes(words), k))


@dataclass(frozen=True)
class _Shingles(SharedKeysScheme):
    k: int
    jaccard: float = 0.2

    unit: ClassVar[Literal["word", "character"]]

    @property
    def name(self) -> str:
        return f"{self.unit}-shingles"

    @property
    def threshold(self) -> float:
        return self.jaccard

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  the coefficient does not ask for the lengths
        return shared / (len(query.keys) + sizes - shared)


@dataclass(frozen=True)
class WordShingles(_Shingles):
    """Three words in a row, segmented by jieba."""

    k: int = 3
    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 60
    unit = "word"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = word_shingles(text.words, self.k)
        return (keys, None) if len(keys) else None


@dataclass(frozen=True)
class CharacterShingles(_Shingles):
    """Five characters in a row, without white space."""

    k: int = 5
    least: ClassVar[int] = 30
    unit = "character"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = character_shingles(text.characters, self.k)
        return (keys, None) if len(keys) else None


# MinHash with LSH bands (Broder 1997, and Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, chapter 3).
#
# A signature holds the least hash of the text's shingles for each of n permutations. The share of equal positions of
# two signatures estimates the Jaccard coefficient. With b bands of r rows, two texts of coefficient s share a bucket
# with probability 1 - (1 - s^r)^b.
#
# Permutations are h -> a h + b mod 2^32 with odd a, over hashes mixed by the finalizer of MurmurHash3. They are seeded
# like those of datasketch 2, so that signatures of equal hashes are equal.


@cache
def hash_permutations(count: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the odd factors and the summands, u32[count] each."""
    source = np.random.RandomState(seed)
    factors = source.randint(0, 1 << 31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, source.randint(0, 1 << 32, count, dtype=np.uint32)


@compiled("u4[::1](u4[::1])")
def mix_hashes(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Spread every bit of each hash over the whole word, u32[n] (the 32-bit finalizer of MurmurHash3)."""
    made = np.empty(len(hashes), np.uint32)
    for place in range(len(hashes)):
        word = np.uint32(hashes[place])
        word = np.uint32(word ^ (word >> np.uint32(16)))
        word = np.uint32(word * np.uint32(0x85EBCA6B))
        word = np.uint32(word ^ (word >> np.uint32(13)))
        word = np.uint32(word * np.uint32(0xC2B2AE35))
        made[place] = np.uint32(word ^ (word >> np.uint32(16)))
    return made


@compiled("u4[::1](u4[::1], u4[::1], u4[::1])")
def min_hashes(
    hashes: NDArray[np.uint32], factors: NDArray[np.uint32], summands: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Return the least permuted hash for each permutation, u32[k], or 2^32 - 1 without hashes."""
    made = np.full(len(factors), np.uint32(0xFFFFFFFF), np.uint32)
    for row in range(len(factors)):
        factor, summand, least = factors[row], summands[row], np.uint32(0xFFFFFFFF)
        for place in range(len(hashes)):
            value = np.uint32(factor * hashes[place] + summand)
            least = min(least, value)
        made[row] = least
    return made


def minhash_signature(hashes: NDArray[np.uint32], count: int = 128, seed: int = 1) -> NDArray[np.uint32]:
    """Return the MinHash signature of a set of 32-bit hashes, u32[count]."""
    made: NDArray[np.uint32] = min_hashes(
        mix_hashes(np.ascontiguousarray(hashes, np.uint32)), *hash_permutations(count, seed)
    )
    return made


def band_keys(made: NDArray[np.uint32], bands: int) -> list[bytes]:
    """Return a key for each band of a signature: its number and its rows."""
    rows = len(made) // bands
    return [band.to_bytes(2, "big") + made[band * rows : (band + 1) * rows].tobytes() for band in range(bands)]


@dataclass(frozen=True)
class MinHash(Scheme):
    """Shingles of k characters, n permutations, b bands."""

    k: int = 5
    count: int = 128
    bands: int = 64
    jaccard: float = 0.2
    seed: int = 1

    least: ClassVar[int] = 60

    @property
    def name(self) -> str:
        return "minhash"

    @property
    def threshold(self) -> float:
        return self.jaccard

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return BucketIndex(self, buckets, lambda fingerprint: band_keys(fingerprint.keys, self.bands))

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        hashes = character_shingles(text.characters, self.k)
        return (minhash_signature(hashes.astype(np.uint32), self.count, self.seed), None) if len(hashes) else None

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        return float(np.count_nonzero(first.keys == second.keys)) / self.count


# Shared terms: texts with 80 % equal terms, whose sizes differ by at most 20 %.


@dataclass(frozen=True)
class Terms(SharedKeysScheme):
    """The distinct words of a text without stop words, shared over those of the text with more of them."""

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
        keys = np.unique(word_hashes(tuple(dict.fromkeys(remove_stop_words(text.words)))))
        return (keys, None) if len(keys) else None
