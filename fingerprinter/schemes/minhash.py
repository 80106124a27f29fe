"""MinHash with LSH bands (Broder 1997; Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, chapter 3).

A signature holds, for each of n permutations of the hashes, the least hash of the text's shingles; the share of
places in which two signatures agree estimates the Jaccard coefficient. Cut into b bands of r rows, two texts of
coefficient s fall into one bucket of some band with probability 1 - (1 - s^r)^b.

Permutations are h -> a h + b mod 2^32 with a odd, over hashes mixed by the finaliser of MurmurHash3, seeded as
datasketch 2 seeds its own, so that signatures of the same hashes are equal.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.indexes.bucket_index import BucketIndex
from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeIndex
from fingerprinter.schemes.shingles import character_shingles
from fingerprinter.schemes.words.text import SchemeText


@cache
def permutations(count: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """u32[count] twice: the factors, all odd, and the summands."""
    source = np.random.RandomState(seed)
    factors = source.randint(0, 1 << 31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, source.randint(0, 1 << 32, count, dtype=np.uint32)


@compiled("u4[::1](u4[::1])")
def mixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """u32[n]: every bit of each hash spread over the whole word (the 32-bit finaliser of MurmurHash3)."""
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
def least_hashes(
    hashes: NDArray[np.uint32], factors: NDArray[np.uint32], summands: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """u32[k]: for each permutation the least of the permuted hashes; 2^32 - 1 for no hashes."""
    made = np.full(len(factors), np.uint32(0xFFFFFFFF), np.uint32)
    for row in range(len(factors)):
        factor, summand, least = factors[row], summands[row], np.uint32(0xFFFFFFFF)
        for place in range(len(hashes)):
            value = np.uint32(factor * hashes[place] + summand)
            least = min(least, value)
        made[row] = least
    return made


def signature(hashes: NDArray[np.uint32], count: int = 128, seed: int = 1) -> NDArray[np.uint32]:
    """u32[count]: the MinHash signature of a set of 32-bit hashes."""
    made: NDArray[np.uint32] = least_hashes(mixed(np.ascontiguousarray(hashes, np.uint32)), *permutations(count, seed))
    return made


def band_keys(made: NDArray[np.uint32], bands: int) -> list[bytes]:
    """A key for each band of a signature: its number and its rows."""
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
        return (signature(hashes.astype(np.uint32), self.count, self.seed), None) if len(hashes) else None

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return float(np.count_nonzero(one.keys == other.keys)) / self.count
