"""The whole path of production as one more scheme: features, index, ranking by diagonals, alignment, verdict."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import PARAMETERS, SCHEME, features
from fingerprinter.features.segments import SEGMENT_LETTERS
from fingerprinter.letters import Letters
from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.scheme import Parameters, Reads, Scheme, SchemeFingerprint, SchemeHits, ranked
from fingerprinter.schemes.words.text import SchemeText
from matcher.alignment.recurring_insertions import without_furniture
from matcher.candidates import candidates, formulaic_share
from matcher.compare import THOROUGHLY, compare
from matcher.index.memory import MemoryIndex
from matcher.ranking.formulae import NO_FORMULAE, Formulae
from pipeline.matching.when_a_case_opens import judged


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WholeFingerprint(SchemeFingerprint):
    """The features with their places, and the text itself for the alignment."""

    text: str
    letters: Letters
    features: Features


@dataclass(frozen=True)
class WholePath(Scheme):
    """What opens a case in production; the score is the verdict's. open_score: the least that opens one."""

    open_score: float

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 50
    name = f"{SCHEME}-whole"

    @property
    def threshold(self) -> float:
        return self.open_score

    def fingerprint(self, text: SchemeText) -> SchemeFingerprint | None:
        plain = super().fingerprint(text)
        if plain is None:
            return None
        parts = (plain.scheme, plain.version, plain.parameters, plain.length, plain.keys, plain.weights)
        return WholeFingerprint(*parts, text=text.characters, letters=text.letters, features=features(text.letters))

    def _fixed(self) -> Parameters:
        return PARAMETERS

    def index(self, buckets: KeyBuckets) -> "WholeIndex":  # noqa: ARG002  production's own index
        return WholeIndex(self)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        values = features(text.letters).values
        return (values, None) if len(values) else None

    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        return _settled(_whole(one), [_whole(other)])[0]


class WholeIndex:
    """Production's inverted index, in memory, and the texts behind it."""

    def __init__(self, scheme: WholePath) -> None:
        self._scheme = scheme
        self._index = MemoryIndex()
        self._index.create(postings=0)
        self._index.publish()
        self._texts: dict[int, WholeFingerprint] = {}
        self._owners: list[int] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        whole = _whole(fingerprint)
        self._texts[number] = whole
        for segment in _segments(whole.features):
            self._index.add([(len(self._owners), segment)])
            self._owners.append(number)

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        page = _whole(fingerprint)
        letters = page.letters
        owners: dict[int, None] = {}
        formulaic, documents = 0.0, max(1, len(self._owners))
        for begin in range(0, len(letters), SEGMENT_LETTERS):
            found = candidates(
                letters.part(begin, begin + SEGMENT_LETTERS), self._index, documents=max(1, len(self._owners))
            )
            owners.update((self._owners[one.number], None) for one in found)
            formulaic = max(formulaic, found[0].formulaic if found else 0.0)
        numbers = list(owners)
        of_work = partial(formulaic_share, index=self._index, documents=documents)
        works = [self._texts[number] for number in numbers]
        scores = np.array(_settled(page, works, Formulae(formulaic, of_work)), np.float64)
        enough = (scores > 0) & (scores >= self._scheme.threshold)
        return ranked(np.array(numbers, np.int64)[enough], scores[enough], len(numbers))


def _settled(page: WholeFingerprint, works: list[WholeFingerprint], formulae: Formulae = NO_FORMULAE) -> list[float]:
    """For each work the score of its verdict, 0 where it opens no case."""
    kept = without_furniture(page.letters.codes)
    compared = [
        compare(page.text, page.letters, work.text, work.letters, thorough=place < THOROUGHLY, kept=kept)
        for place, work in enumerate(works)
    ]
    # The threshold comes later.
    verdicts = iter(judged([one for one in compared if one is not None], 0.0, formulae))
    settled = [None if one is None else next(verdicts) for one in compared]
    return [one.comparison.verdict.score if one is not None and one.accuses else 0.0 for one in settled]


def _segments(made: Features) -> list[Features]:
    """The features of each segment of a text, positions from its start."""
    cuts = np.searchsorted(made.positions, range(0, int(made.positions[-1]) + SEGMENT_LETTERS, SEGMENT_LETTERS))
    bounds = [*cuts.tolist(), len(made)]
    return [
        Features(made.values[begin:end], made.positions[begin:end] % np.uint32(SEGMENT_LETTERS))
        for begin, end in pairwise(bounds)
        if begin < end
    ]


def _whole(fingerprint: SchemeFingerprint) -> WholeFingerprint:
    assert isinstance(fingerprint, WholeFingerprint)
    return fingerprint
