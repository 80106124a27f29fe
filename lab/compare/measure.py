"""Every scheme through one trial: what it finds, what it accuses wrongly, and what it costs."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fingerprinter.schemes.buckets import KeyBuckets, Under
from fingerprinter.schemes.scheme import Parameters, Reads, Scheme, SchemeIndex
from fingerprinter.schemes.words.text import SchemeText
from fingerprinter.schemes.words.words import cut
from lab.compare.trial import Suspect, Trial
from matcher.ranking.size_and_kind import Narrowing

Advance = Callable[[int, int], None]
Segment = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairsFound:
    """Pairs of suspect and source that were found, of those that are true."""

    found: int
    pairs: int

    @property
    def share(self) -> float:
        """In [0, 1]; 0 of none."""
        return self.found / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One scheme's figures.

    reported: pairs that it named, right or wrong; accused: of the suspects that copy nothing, those with a source
    named; unanswered: suspects that are too short for it. texts_a_second, million_characters_a_second: of processor
    time, cleaning and cutting into words or letters included, of which own_share is the scheme's own. comparisons:
    works that a query is compared with, on average, of `documents`; query_ms: median, its fingerprint made before.
    """

    scheme: str
    version: int
    parameters: Parameters
    reads: Reads
    least: int
    total: PairsFound
    by_kind: dict[str, PairsFound]
    reported: int
    accused: int
    negatives: int
    unanswered: int
    suspects: int
    documents: int
    fingerprints_a_document: float
    bytes_a_document: float
    texts_a_second: float
    million_characters_a_second: float
    own_share: float
    comparisons: float
    query_ms: float

    @property
    def precision(self) -> float | None:
        """The share of the named pairs that are true; None where it named none."""
        return self.total.found / self.reported if self.reported else None


@dataclass(frozen=True, slots=True)
class _Read:
    """The texts of a trial, read once for all schemes, and the seconds that it took to read the library."""

    library: list[SchemeText]
    suspects: list[SchemeText]
    characters: int
    seconds: dict[Reads, float]


@dataclass(frozen=True, slots=True)
class _Answers:
    """For each suspect the works that were named and the true ones; comparisons and seconds of those answered."""

    named: list[tuple[set[str], dict[str, str]]]
    comparisons: list[int]
    seconds: list[float]


def measure(
    trial: Trial,
    schemes: Sequence[Scheme],
    buckets: KeyBuckets,
    advance: Advance | None = None,
    narrowing: Narrowing = Narrowing(),  # noqa: B008  frozen
    segment: Segment = cut,
) -> Iterator[Result]:
    """The result of each scheme, in the order given. buckets: where look-ups by key keep their keys; narrowing: what
    of a scheme's answers counts; segment: text -> words.
    """
    read = _read(trial, {scheme.reads for scheme in schemes}, segment)
    for done, scheme in enumerate(schemes):
        if advance:
            advance(done, len(schemes))
        yield _measured(trial, read, scheme, Under(buckets, scheme.name.encode()), narrowing)


def _read(trial: Trial, needed: set[Reads], segment: Segment) -> _Read:
    start = time.process_time()
    library = [SchemeText(text, segment=segment) for _, text in trial.library]
    seconds: dict[Reads, float] = {"characters": time.process_time() - start}
    suspects = [SchemeText(suspect.text, segment=segment) for suspect in trial.suspects]
    reading: tuple[tuple[Reads, Callable[[SchemeText], object]], ...] = (
        ("words", lambda text: text.words),
        ("letters", lambda text: text.letters),
    )
    for reads, read in reading:
        if reads in needed:
            read(SchemeText("一句", segment=segment))  # loads the tables
            start = time.process_time()
            for text in library:
                read(text)
            seconds[reads] = seconds["characters"] + time.process_time() - start
            for text in suspects:
                read(text)
    return _Read(library, suspects, sum(len(text) for _, text in trial.library), seconds)


def _measured(trial: Trial, read: _Read, scheme: Scheme, buckets: KeyBuckets, narrowing: Narrowing) -> Result:
    scheme.fingerprint(SchemeText("渡口的灯还亮着，摆渡的老人把缆绳又系紧了一道。" * 40))  # loads and compiles
    start = time.process_time()
    made = [scheme.fingerprint(text) for text in read.library]
    own = time.process_time() - start
    seconds = own + read.seconds[scheme.reads]
    index = scheme.index(buckets)
    for number, fingerprint in enumerate(made):
        if fingerprint is not None:
            index.add(number, fingerprint)
    kept = [fingerprint for fingerprint in made if fingerprint is not None]
    answers = _look_up_all(trial, read, scheme, index, narrowing)
    found = Counter(kind for named, sources in answers.named for work, kind in sources.items() if work in named)
    pairs = Counter(kind for suspect in trial.suspects for kind in suspect.sources.values())
    honest = [named for named, sources in answers.named if not sources]
    return Result(
        scheme=scheme.name,
        version=scheme.version,
        parameters=scheme.parameters,
        reads=scheme.reads,
        least=scheme.least,
        total=PairsFound(found.total(), pairs.total()),
        by_kind={kind: PairsFound(found[kind], pairs[kind]) for kind in trial.kinds},
        reported=sum(len(named) for named, _ in answers.named),
        accused=sum(1 for named in honest if named),
        negatives=len(honest),
        unanswered=len(answers.named) - len(answers.seconds),
        suspects=len(answers.named),
        documents=len(trial.library),
        fingerprints_a_document=_mean([fingerprint.count for fingerprint in kept]),
        bytes_a_document=_mean([fingerprint.nbytes for fingerprint in kept]),
        texts_a_second=len(trial.library) / seconds,
        million_characters_a_second=read.characters / seconds / 1e6,
        own_share=own / seconds,
        comparisons=_mean(answers.comparisons),
        query_ms=float(np.median(answers.seconds)) * 1000 if answers.seconds else 0.0,
    )


def _look_up_all(trial: Trial, read: _Read, scheme: Scheme, index: SchemeIndex, narrowing: Narrowing) -> _Answers:
    answers = _Answers([], [], [])
    for suspect, text in zip(trial.suspects, read.suspects, strict=True):
        fingerprint = scheme.fingerprint(text)
        named: set[str] = set()
        if fingerprint is not None:
            start = time.perf_counter()
            answer = index.look_up(fingerprint)
            answers.seconds.append(time.perf_counter() - start)
            answers.comparisons.append(answer.comparisons)
            works = (trial.library[match.number] for match in answer.matches)
            named = {id for id, work in works if _allowed(trial, narrowing, suspect, id, work)}
        answers.named.append((named, suspect.sources))
    return answers


def _allowed(trial: Trial, narrowing: Narrowing, suspect: Suspect, id: str, work: str) -> bool:
    return narrowing.allows(len(suspect.text), suspect.category, len(work), trial.categories.get(id))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
