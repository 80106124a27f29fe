"""An index of buckets: documents that share a key with the query are candidates, and each candidate is compared."""

from collections.abc import Callable

import numpy as np

from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeHits, ranked

KeysOf = Callable[[SchemeFingerprint], list[bytes]]


class BucketIndex:
    """Candidates by key, verified by the scheme's similarity. keys_of: the keys that a fingerprint is put under."""

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
        return ranked(candidates[enough], scores[enough], len(candidates))
