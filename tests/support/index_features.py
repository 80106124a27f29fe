"""Features of documents that tests make up."""

from collections.abc import Iterable

import numpy as np

from fingerprinter.features.features import Features


def features(document: Iterable[tuple[int, int]]) -> Features:
    pairs = list(document)
    return Features(
        np.array([value for value, _ in pairs], np.uint64), np.array([position for _, position in pairs], np.uint32)
    )
