"""Unit vectors compared with all others at once: real values have no exact look-up short of that."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeHits, ranked


class VectorIndex:
    """The vectors of all documents as one matrix; the cosine is their product."""

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
        return ranked(np.array(self._numbers, np.int64)[enough], scores[enough], len(self))
