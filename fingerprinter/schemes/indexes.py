"""Look fingerprints up: inverted index, buckets, Hamming tables, vectors, groups of similar ids."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.scheme import KeyBuckets, Scheme, SchemeFingerprint, SchemeHits, SchemeIndex, rank_hits

# The plain inverted index: key -> its documents, in sorted arrays.
#
# Documents 1 → [a, b, c, d], 2 → [b, e, f], 3 → [a, c, g] give a → [1, 3], b → [1, 2], c → [1, 3] and so on.


Numbers = NDArray[np.float64]
_Postings = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float32] | None]


class Scoring(Protocol):
    """What the index needs of a scheme: the similarity of texts with shared keys, and its threshold."""

    @property
    def threshold(self) -> float: ...
    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers: ...


class InvertedIndex:
    """The postings of a scheme whose similarity follows from shared keys."""

    def __init__(self, scheme: Scoring) -> None:
        self._scheme = scheme
        self._numbers: list[int] = []
        self._waiting: list[SchemeFingerprint] = []
        self._known = _DocumentSizes()
        self._postings: _Postings = (np.empty(0, np.uint64), np.empty(0, np.uint32), None)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        self._numbers.append(number)
        self._waiting.append(fingerprint)

    def documents(self, key: int) -> list[int]:
        """Return the ascending numbers of the documents with a key."""
        keys, owners, _ = self._sorted_postings()
        first, last = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
        return sorted(self._numbers[owner] for owner in owners[first:last])

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        keys, owners, weights = self._sorted_postings()
        wanted = fingerprint.keys.astype(np.uint64)
        first = np.searchsorted(keys, wanted)
        counts = np.searchsorted(keys, wanted, side="right") - first
        starts = np.repeat(first - (np.cumsum(counts) - counts), counts)
        where = starts + np.arange(len(starts))
        products = None
        if weights is not None and fingerprint.weights is not None:
            products = weights[where].astype(np.float64) * np.repeat(fingerprint.weights, counts)
        shared = np.bincount(owners[where], products, minlength=len(self)).astype(np.float64)
        touched = np.flatnonzero(shared)
        scores = self._scheme.scores(
            shared[touched], fingerprint, self._known.sizes[touched], self._known.lengths[touched]
        )
        enough = scores >= self._scheme.threshold
        numbers = np.array(self._numbers, np.int64)[touched[enough]]
        return rank_hits(numbers, scores[enough], len(touched))

    def _sorted_postings(self) -> _Postings:
        """Return the postings sorted by key, after merging new documents."""
        if self._waiting:
            counts = [len(each.keys) for each in self._waiting]
            first = len(self) - len(counts)
            new = np.concatenate([each.keys.astype(np.uint64) for each in self._waiting])
            owners = np.repeat(np.arange(first, len(self), dtype=np.uint32), counts)
            self._postings = _merge_postings(self._postings, (new, owners, _concatenate_values(self._waiting)))
            self._known.extend(self._waiting, counts)
            self._waiting = []
        return self._postings


class _DocumentSizes:
    """The size and length of every document."""

    def __init__(self) -> None:
        self.sizes = np.empty(0, np.float64)
        self.lengths = np.empty(0, np.float64)

    def extend(self, fingerprints: list[SchemeFingerprint], counts: list[int]) -> None:
        self.sizes = np.append(self.sizes, np.array(counts, np.float64))
        self.lengths = np.append(self.lengths, [float(each.length) for each in fingerprints])


def _concatenate_values(fingerprints: list[SchemeFingerprint]) -> NDArray[Any] | None:
    weights = [each.weights for each in fingerprints if each.weights is not None]
    return np.concatenate(weights).astype(np.float32) if weights else None


def _merge_postings(old: _Postings, new: _Postings) -> _Postings:
    keys = np.concatenate((old[0], new[0]))
    order = np.argsort(keys, kind="stable")
    owners = np.concatenate((old[1], new[1]))[order]
    weights = None
    if new[2] is not None:
        weights = np.concatenate((np.empty(0, np.float32) if old[2] is None else old[2], new[2]))[order]
    return keys[order], owners, weights


class SharedKeysScheme(Scheme):
    """A scheme whose keys are an ascending set, with an inverted index."""

    @abstractmethod
    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:
        """Return the similarity of a text to m documents, f64[m].

        shared: keys in common, or the sum of weight products. sizes: keys of each document. lengths: of each document.
        """

    def index(self, buckets: KeyBuckets) -> SchemeIndex:  # noqa: ARG002  sorted arrays need no buckets
        return InvertedIndex(self)

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        _, mine, theirs = np.intersect1d(first.keys, second.keys, assume_unique=True, return_indices=True)
        shared = float(len(mine))
        if first.weights is not None and second.weights is not None:
            shared = float(np.dot(first.weights[mine].astype(np.float64), second.weights[theirs]))
        sizes, lengths = np.array([len(second.keys)], np.float64), np.array([second.length], np.float64)
        return float(self.scores(np.array([shared]), first, sizes, lengths)[0])


# A bucket index: documents that share a key with the query are candidates, and each is compared.


KeysOf = Callable[[SchemeFingerprint], list[bytes]]


class BucketIndex:
    """Candidates by key, verified by the scheme's similarity. keys_of: the keys of a fingerprint."""

    def __init__(self, scheme: Scheme, buckets: KeyBuckets, keys_of: KeysOf) -> None:
        self._scheme = scheme
        self._buckets = buckets
        self._keys_of = keys_of
        self._fingerprints: dict[int, SchemeFingerprint] = {}

    def __len__(self) -> int:
        return len(self._fingerprints)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        self._fingerprints[number] = fingerprint
        self._buckets.add((key, number) for key in self._keys_of(fingerprint))

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        rows = self._buckets.get(self._keys_of(fingerprint))
        candidates = np.array(sorted({number for row in rows for number in row}), np.int64)
        scores = np.array(
            [self._scheme.similarity(fingerprint, self._fingerprints[number]) for number in candidates.tolist()],
            np.float64,
        )
        enough = scores >= self._scheme.threshold
        return rank_hits(candidates[enough], scores[enough], len(candidates))


# Look-up within a Hamming distance by the pigeonhole principle (Manku, Jain, Das Sarma 2007).
#
# Two words of f bits that differ in at most d bits agree in at least one of d + 1 blocks. With a table a block, every
# near word shares a block with the query. For f = 64 and d = 3 there are four tables of 16 bits, and 4 in 65,536 random
# words are compared. A document from several tables is compared, and counted, once.


class HammingTables:
    """Words of `bits` bits and their documents. Everything is in the buckets, so it outlives this process."""

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
        """Return the documents within `distance` bits of this word. Their score is the share of equal bits."""
        rows = self._buckets.get(self._table_keys(word))
        candidates = sorted({number for row in rows for number in row})
        words = self._buckets.get([_word_key(number) for number in candidates]) if candidates else []
        apart = np.array([(word ^ other).bit_count() for (other,) in words], np.int64)
        near = apart <= self._distance
        return rank_hits(np.array(candidates, np.int64)[near], 1 - apart[near] / self._bits, len(candidates))

    def _table_keys(self, word: int) -> list[bytes]:
        return [
            bytes([table]) + (word >> low & ((1 << (high - low)) - 1)).to_bytes(8, "big")
            for table, (low, high) in enumerate(self._blocks)
        ]


class BitScheme(Scheme):
    """A scheme whose fingerprint is one word of `bits` bits. Near ones differ in at most `distance` bits."""

    bits: int
    distance: int

    @property
    def threshold(self) -> float:
        return 1 - self.distance / self.bits

    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        return HammingTables(buckets, bits=self.bits, distance=self.distance)

    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        return 1 - (int(first.keys[0]) ^ int(second.keys[0])).bit_count() / self.bits


def _word_key(number: int) -> bytes:
    return b"w" + number.to_bytes(8, "big")


# Unit vectors, compared with all others at once, because real values have no faster exact look-up.


class VectorIndex:
    """The vectors of all documents as one matrix. The cosine is their product."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._numbers: list[int] = []
        self._rows: list[NDArray[Any]] = []
        self._matrix: NDArray[Any] = np.empty((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        assert fingerprint.weights is not None
        self._numbers.append(number)
        self._rows.append(fingerprint.weights)

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        if not self._rows:
            return SchemeHits((), 0)
        if len(self._matrix) != len(self._rows):
            self._matrix = np.stack(self._rows)
        scores = (self._matrix @ fingerprint.weights).astype(np.float64)
        enough = scores >= self._scheme.threshold
        return rank_hits(np.array(self._numbers, np.int64)[enough], scores[enough], len(self))


# Similar ids: texts that share a key get one id, that of the earliest (nshash's grouping).


class SimilarIds:
    """Groups that grow as texts arrive. Entries are only ever added to the buckets, and outlive this process."""

    def __init__(self, buckets: KeyBuckets) -> None:
        self._buckets = buckets

    def put(self, number: int, keys: Sequence[int]) -> int:
        """Add a text and return its similar id: its own number, or the least id of the groups that share a key.

        A text that bridges several groups merges them.
        """
        names = [b"k" + key.to_bytes(8, "big") for key in keys]
        before = {member for row in self._buckets.get(names) for member in row}
        groups = {self.similar_id(member) for member in before} | {self.similar_id(number)}
        first = min(groups)
        merged = [(_alias_key(group), first) for group in groups if group != first]
        self._buckets.add([*((name, number) for name in names), *merged])
        return first

    def similar_id(self, number: int) -> int:
        """Return the current similar id of a text, its own number if it shares nothing."""
        while earlier := self._buckets.get([_alias_key(number)])[0]:
            number = earlier[0]
        return number


def _alias_key(number: int) -> bytes:
    return b"a" + number.to_bytes(8, "big")
