"""Wrap the production pipeline as a fingerprint scheme: features, index, ranking, alignment, verdict."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import extract_features
from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME, SEGMENT_LETTERS, Features
from fingerprinter.schemes.scheme import KeyBuckets, Parameters, Reads, Scheme, SchemeFingerprint, SchemeHits, rank_hits
from fingerprinter.words.text import SchemeText
from matcher.attribution.align_pair import align_pair
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.retrieval.candidates import MAX_THOROUGH_CANDIDATES, find_candidates, stop_feature_share
from matcher.retrieval.inserted_adverts import places_without_furniture
from matcher.retrieval.ranking import NO_STOP_FEATURES, StopFeatureShares
from wenhen.cases.opening_rule import judge_comparisons


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProductionFingerprint(SchemeFingerprint):
    """The features with their positions, and the text for alignment."""

    text: str
    letters: Initials
    features: Features


@dataclass(frozen=True)
class ProductionScheme(Scheme):
    """The production pipeline, with the score of the verdict as similarity. open_score: score that opens a case."""

    open_score: float

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 50
    name = f"{FEATURE_SCHEME}-whole"

    @property
    def threshold(self) -> float:
        return self.open_score

    def fingerprint(self, text: SchemeText) -> SchemeFingerprint | None:
        plain = super().fingerprint(text)
        if plain is None:
            return None
        parts = (plain.scheme, plain.version, plain.parameters, plain.length, plain.keys, plain.weights)
        return ProductionFingerprint(
            *parts, text=text.characters, letters=text.letters, features=extract_features(text.letters)
        )

    def _parameters(self) -> Parameters:
        return FEATURE_PARAMETERS

    def index(self, buckets: KeyBuckets) -> "ProductionIndex":  # noqa: ARG002  it uses the production index
        return ProductionIndex(self)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        values = extract_features(text.letters).values
        return (values, None) if len(values) else None

    def _similarity(self, fingerprint: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return _verdict_scores(_as_production(fingerprint), [_as_production(other)])[0]


class ProductionIndex:
    """The production index, in memory, with the texts of its documents."""

    def __init__(self, scheme: ProductionScheme) -> None:
        self._scheme = scheme
        self._index = MemoryIndex()
        self._index.create(postings=0)
        self._index.publish()
        self._texts: dict[int, ProductionFingerprint] = {}
        self._owners: list[int] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        whole = _as_production(fingerprint)
        self._texts[number] = whole
        for segment in _split_segments(whole.features):
            self._index.add([(len(self._owners), segment)])
            self._owners.append(number)

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        page = _as_production(fingerprint)
        letters = page.letters
        owners: dict[int, None] = {}
        formulaic, documents = 0.0, max(1, len(self._owners))
        for begin in range(0, len(letters), SEGMENT_LETTERS):
            candidates = find_candidates(
                letters.part(begin, begin + SEGMENT_LETTERS), self._index, documents=max(1, len(self._owners))
            )
            owners.update((self._owners[candidate.number], None) for candidate in candidates)
            formulaic = max(formulaic, candidates[0].formulaic if candidates else 0.0)
        numbers = list(owners)
        of_work = partial(stop_feature_share, index=self._index, documents=documents)
        works = [self._texts[number] for number in numbers]
        scores = np.array(_verdict_scores(page, works, StopFeatureShares(formulaic, of_work)), np.float64)
        enough = (scores > 0) & (scores >= self._scheme.threshold)
        return rank_hits(np.array(numbers, np.int64)[enough], scores[enough], len(numbers))


def _verdict_scores(
    page: ProductionFingerprint, works: list[ProductionFingerprint], formulae: StopFeatureShares = NO_STOP_FEATURES
) -> list[float]:
    """Return the score of the verdict for each work; 0 if it opens no case."""
    kept = places_without_furniture(page.letters.codes)
    compared = [
        align_pair(
            page.text, page.letters, work.text, work.letters, thorough=place < MAX_THOROUGH_CANDIDATES, kept=kept
        )
        for place, work in enumerate(works)
    ]
    # The threshold is applied later.
    verdicts = iter(judge_comparisons([comparison for comparison in compared if comparison is not None], 0.0, formulae))
    settled = [None if comparison is None else next(verdicts) for comparison in compared]
    return [
        candidate.comparison.verdict.score if candidate is not None and candidate.accuses else 0.0
        for candidate in settled
    ]


def _split_segments(made: Features) -> list[Features]:
    """Return the features of each segment of a text, with positions from the start of the segment."""
    cuts = np.searchsorted(made.positions, range(0, int(made.positions[-1]) + SEGMENT_LETTERS, SEGMENT_LETTERS))
    bounds = [*cuts.tolist(), len(made)]
    return [
        Features(made.values[begin:end], made.positions[begin:end] % np.uint32(SEGMENT_LETTERS))
        for begin, end in pairwise(bounds)
        if begin < end
    ]


def _as_production(fingerprint: SchemeFingerprint) -> ProductionFingerprint:
    assert isinstance(fingerprint, ProductionFingerprint)
    return fingerprint
