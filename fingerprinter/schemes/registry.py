"""List all schemes as they are compared, with the two that use the features of production."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.index_features import DIGIT_COUNT, extract_features, frequency_fingerprint
from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME
from fingerprinter.schemes.indexes import Numbers, SharedKeysScheme
from fingerprinter.schemes.jaccard import CharacterShingles, MinHash, Terms, WordShingles
from fingerprinter.schemes.scheme import Parameters, Reads, Scheme, SchemeFingerprint, word_hash
from fingerprinter.schemes.substrings import Checksum, LongestSentence, Nshash, SifAll, SifAnchors
from fingerprinter.schemes.vector_space import Cosine, RandomHyperplanes, RandomProjection, Simhash
from fingerprinter.words.text import SchemeText, WordWeights, default_weights

# The index features (`fingerprinter.features.index_features`) as a scheme that only counts shared ones.
#
# Production also asks for their positions and aligns the texts. This shows the worth of the features alone.


@dataclass(frozen=True)
class ProductionFeatures(SharedKeysScheme):
    """A minimum of shared features. The score is their number over the features of the text with fewer."""

    shared_features: int = 5

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 50
    name = f"{FEATURE_SCHEME}-features"
    threshold = 1e-9  # of what `scores` leaves above zero

    def _fixed_parameters(self) -> Parameters:
        return FEATURE_PARAMETERS

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  features are counted
        return np.where(shared >= self.shared_features, shared / np.minimum(sizes, len(query.keys)), 0.0)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = np.unique(extract_features(text.letters).values)
        return (keys, None) if len(keys) else None


# The plain frequency fingerprint as a scheme: windows on a fixed grid, matched by equal numbers.


@dataclass(frozen=True)
class FrequencyWindows(SharedKeysScheme):
    """Two shared windows of 150 initials, or the only window of a short text."""

    window: int = 150
    overlap: float = 0.5
    highest: int = 3
    shared_windows: int = 2
    least_initials: int = 75  # initials of a window: fewer have no meaningful frequencies

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 150
    name = "frequency"
    threshold = 1e-9  # of what `scores` leaves above zero

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  windows are counted
        fewer = np.minimum(sizes, len(query.keys))
        return np.where(shared >= np.minimum(fewer, self.shared_windows), shared / fewer, 0.0)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        made = frequency_fingerprint(text.letters, window=self.window, overlap=self.overlap, highest=self.highest)
        with_initial = np.cumsum(np.append(0, text.letters.codes < DIGIT_COUNT))
        whole = {
            word_hash(window.digits)
            for window in made.windows
            if not window.short and with_initial[window.end] - with_initial[window.start] >= self.least_initials
        }
        return (np.array(sorted(whole), np.uint64), None) if whole else None


def all_schemes(
    weights: WordWeights | None = None, hash: str = "md5", frequency: FrequencyWindows | None = None
) -> tuple[Scheme, ...]:
    """Return one instance of each scheme.

    weights: of words, by default the general table. hash: one of `HASH_FUNCTIONS`, for schemes with a choice.
    frequency: with other settings.
    """
    weights = weights or default_weights()
    return (
        Checksum(hash=hash),
        Terms(),
        Cosine(weights=weights),
        RandomProjection(weights=weights),
        RandomHyperplanes(weights=weights),
        Simhash(hash=hash, weights=weights),
        Simhash(bits=32, hash=hash, weights=weights),
        LongestSentence(hash=hash),
        Nshash(hash=hash),
        SifAnchors(),
        SifAll(),
        WordShingles(),
        CharacterShingles(),
        MinHash(),
        frequency or FrequencyWindows(),
        ProductionFeatures(),
    )
