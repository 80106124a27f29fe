"""Look-up within a Hamming distance by the pigeonhole principle (Manku, Jain, Das Sarma 2007).

Two words of f bits that differ in at most d of them agree in at least one of d + 1 blocks. With d + 1 tables, one for
each block, every near word is among those that share a block with the query: for f = 64 and d = 3 four tables of 16
bits, and of random words 4 in 65,536 are compared. Comparisons are counted exactly: a document that several tables give
is compared once.
"""

from itertools import pairwise

import numpy as np

from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeHits, SchemeIndex, ranked


class HammingTables:
    """Words of `bits` bits and their documents, all of it in the buckets, so that it outlives this process."""

    def __init__(self, buckets: KeyBuckets, *, bits: int, distance: int) -> None:
        if not 0 <= distance < bits <= 64:
            raise ValueError(f"distance {distance} must be in [0, {bits}), and {bits} bits at most 64")
        self._buckets = buckets
        self._bits = bits
        self._distance = distance
        cuts = [bits * block // (distance + 1) for block in range(distance + 2)]
        self._blocks = list(pairwise(cuts))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        word = int(fingerprint.keys[0])
        self._buckets.add([*((key, number) for key in self._table_keys(word)), (_word_key(number), word)])
        self._count += 1

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        return self.within(int(fingerprint.keys[0]))

    def within(self, word: int) -> SchemeHits:
        """The documents whose words differ from this one in at most `distance` bits; score: share of equal bits."""
        rows = self._buckets.get(self._table_keys(word))
        candidates = sorted({number for row in rows for number in row})
        words = self._buckets.get([_word_key(number) for number in candidates]) if candidates else []
        apart = np.array([(word ^ other).bit_count() for (other,) in words], np.int64)
        near = apart <= self._distance
        return ranked(np.array(candidates, np.int64)[near], 1 - apart[near] / self._bits, len(candidates))

    def _table_keys(self, word: int) -> list[bytes]:
        return [
            bytes([table]) + (word >> low & ((1 << (high - low)) - 1)).to_bytes(8, "big")
            for table, (low, high) in enumerate(self._blocks)
        ]


class OfBits(Scheme):
    """A scheme whose fingerprint is one word of `bits` bits; near ones differ in at most `distance` of them."""

    bits: int
    distance: int

    @property
    def threshold(self) -> float:
        return 1 - self.distance / self.bits

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return HammingTables(buckets, bits=self.bits, distance=self.distance)

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return 1 - (int(one.keys[0]) ^ int(other.keys[0])).bit_count() / self.bits


def _word_key(number: int) -> bytes:
    return b"w" + number.to_bytes(8, "big")
