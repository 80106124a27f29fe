"""The plain inverted index: key -> the documents that hold it, in sorted arrays.

Documents 1 → [a, b, c, d], 2 → [b, e, f], 3 → [a, c, g] give a → [1, 3], b → [1, 2], c → [1, 3] and so on.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.scheme import SchemeFingerprint, SchemeHits, ranked

Numbers = NDArray[np.float64]
_Postings = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float32] | None]


class Scoring(Protocol):
    """What the index asks of a scheme: how similar texts are that share keys, and from when on that counts."""

    @property
    def threshold(self) -> float: ...
    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers: ...


class InvertedIndex:
    """Postings of a scheme whose similarity follows from the keys that two texts share."""

    def __init__(self, scheme: Scoring) -> None:
        self._scheme = scheme
        self._numbers: list[int] = []
        self._waiting: list[SchemeFingerprint] = []
        self._known = _Known()
        self._postings: _Postings = (np.empty(0, np.uint64), np.empty(0, np.uint32), None)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        self._numbers.append(number)
        self._waiting.append(fingerprint)

    def documents(self, key: int) -> list[int]:
        """The numbers of the documents that hold a key, ascending."""
        keys, owners, _ = self._settled()
        first, last = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
        return sorted(self._numbers[owner] for owner in owners[first:last])

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        keys, owners, weights = self._settled()
        wanted = fingerprint.keys.astype(np.uint64)
        first = np.searchsorted(keys, wanted)
        counts = np.searchsorted(keys, wanted, side="right") - first
        starts = np.repeat(first - (np.cumsum(counts) - counts), counts)
        where = starts + np.arange(len(starts))
        told = None
        if weights is not None and fingerprint.weights is not None:
            told = weights[where].astype(np.float64) * np.repeat(fingerprint.weights, counts)
        shared = np.bincount(owners[where], told, minlength=len(self)).astype(np.float64)
        touched = np.flatnonzero(shared)
        scores = self._scheme.scores(
            shared[touched], fingerprint, self._known.sizes[touched], self._known.lengths[touched]
        )
        enough = scores >= self._scheme.threshold
        numbers = np.array(self._numbers, np.int64)[touched[enough]]
        return ranked(numbers, scores[enough], len(touched))

    def _settled(self) -> _Postings:
        """The postings, sorted by key, with those that waited."""
        if self._waiting:
            counts = [len(each.keys) for each in self._waiting]
            first = len(self) - len(counts)
            new = np.concatenate([each.keys.astype(np.uint64) for each in self._waiting])
            owners = np.repeat(np.arange(first, len(self), dtype=np.uint32), counts)
            self._postings = _merged(self._postings, (new, owners, _joined(self._waiting)))
            self._known.extend(self._waiting, counts)
            self._waiting = []
        return self._postings


class _Known:
    """Size and length of every document."""

    def __init__(self) -> None:
        self.sizes = np.empty(0, np.float64)
        self.lengths = np.empty(0, np.float64)

    def extend(self, fingerprints: list[SchemeFingerprint], counts: list[int]) -> None:
        self.sizes = np.append(self.sizes, np.array(counts, np.float64))
        self.lengths = np.append(self.lengths, [float(each.length) for each in fingerprints])


def _joined(fingerprints: list[SchemeFingerprint]) -> NDArray[Any] | None:
    weights = [each.weights for each in fingerprints if each.weights is not None]
    return np.concatenate(weights).astype(np.float32) if weights else None


def _merged(old: _Postings, new: _Postings) -> _Postings:
    keys = np.concatenate((old[0], new[0]))
    order = np.argsort(keys, kind="stable")
    owners = np.concatenate((old[1], new[1]))[order]
    weights = None
    if new[2] is not None:
        weights = np.concatenate((np.empty(0, np.float32) if old[2] is None else old[2], new[2]))[order]
    return keys[order], owners, weights
