"""Schemes whose similarity follows from how many keys two texts share, and their sizes."""

from abc import abstractmethod

import numpy as np

from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.indexes.inverted_index import InvertedIndex, Numbers
from fingerprinter.schemes.scheme import Scheme, SchemeFingerprint, SchemeIndex


class SharedScheme(Scheme):
    """The keys of a fingerprint are a set (each once, ascending), and its index is the inverted index."""

    @abstractmethod
    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:
        """f64[m]: the similarity of a text with m documents.

        shared: keys in common (with weights: the sum of the products); sizes: keys of each document; lengths: of each.
        """

    def index(self, buckets: KeyBuckets) -> SchemeIndex:  # noqa: ARG002  sorted arrays need no buckets
        return InvertedIndex(self)

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        _, mine, theirs = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
        shared = float(len(mine))
        if one.weights is not None and other.weights is not None:
            shared = float(np.dot(one.weights[mine].astype(np.float64), other.weights[theirs]))
        sizes, lengths = np.array([len(other.keys)], np.float64), np.array([other.length], np.float64)
        return float(self.scores(np.array([shared]), one, sizes, lengths)[0])
