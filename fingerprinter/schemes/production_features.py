"""The features of the index (`fingerprinter.features.index_features`) as a scheme: shared ones are counted, no more.

Production itself also asks where they stand and aligns the texts; this shows what the features alone are worth.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.index_features import PARAMETERS, SCHEME, features
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Parameters, Reads, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText


@dataclass(frozen=True)
class ProductionFeatures(SharedScheme):
    """So many features in common; the score is their number over those of the text that has fewer."""

    shared_features: int = 5

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 50
    name = f"{SCHEME}-features"
    threshold = 1e-9  # of what `scores` leaves above zero

    def _fixed(self) -> Parameters:
        return PARAMETERS

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  features are counted
        return np.where(shared >= self.shared_features, shared / np.minimum(sizes, len(query.keys)), 0.0)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = np.unique(features(text.letters).values)
        return (keys, None) if len(keys) else None
