"""Measure recall, precision and cost of each fingerprint scheme, and draw the results as SVG."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from fingerprinter.schemes.scheme import KeyBuckets, Parameters, PrefixedBuckets, Reads, Scheme, SchemeIndex
from fingerprinter.words.text import SchemeText, cut_words
from matcher.retrieval.candidate_filters import CandidateFilter
from wenhen.comparison.trial import Suspect, Trial

# Every scheme through one trial: what it finds, what it accuses wrongly, and what it costs.


Advance = Callable[[int, int], None]
Segment = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairRecall:
    """Pairs of suspect and source that were found, of those that are true."""

    found: int
    pairs: int

    @property
    def share(self) -> float:
        """In [0, 1]; 0 of none."""
        return self.found / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeResult:
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
    total: PairRecall
    by_kind: dict[str, PairRecall]
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
class _ReadTexts:
    """The texts of a trial, read once for all schemes, and the seconds that it took to read the library."""

    library: list[SchemeText]
    suspects: list[SchemeText]
    characters: int
    seconds: dict[Reads, float]


@dataclass(frozen=True, slots=True)
class _SchemeAnswers:
    """For each suspect the works that were named and the true ones; comparisons and seconds of those answered."""

    named: list[tuple[set[str], dict[str, str]]]
    comparisons: list[int]
    seconds: list[float]


def measure_schemes(
    trial: Trial,
    schemes: Sequence[Scheme],
    buckets: KeyBuckets,
    advance: Advance | None = None,
    narrowing: CandidateFilter = CandidateFilter(),  # noqa: B008  frozen
    segment: Segment = cut_words,
) -> Iterator[SchemeResult]:
    """The result of each scheme, in the order given. buckets: where look-ups by key keep their keys; narrowing: what
    of a scheme's answers counts; segment: text -> words.
    """
    read = _read_texts(trial, {scheme.reads for scheme in schemes}, segment)
    for done, scheme in enumerate(schemes):
        if advance:
            advance(done, len(schemes))
        yield _measure_scheme(trial, read, scheme, PrefixedBuckets(buckets, scheme.name.encode()), narrowing)


def _read_texts(trial: Trial, needed: set[Reads], segment: Segment) -> _ReadTexts:
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
    return _ReadTexts(library, suspects, sum(len(text) for _, text in trial.library), seconds)


def _measure_scheme(
    trial: Trial, read: _ReadTexts, scheme: Scheme, buckets: KeyBuckets, narrowing: CandidateFilter
) -> SchemeResult:
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
    answers = _look_up_suspects(trial, read, scheme, index, narrowing)
    counts = Counter(kind for named, sources in answers.named for work, kind in sources.items() if work in named)
    pairs = Counter(kind for suspect in trial.suspects for kind in suspect.sources.values())
    honest = [named for named, sources in answers.named if not sources]
    return SchemeResult(
        scheme=scheme.name,
        version=scheme.version,
        parameters=scheme.parameters,
        reads=scheme.reads,
        least=scheme.least,
        total=PairRecall(counts.total(), pairs.total()),
        by_kind={kind: PairRecall(counts[kind], pairs[kind]) for kind in trial.kinds},
        reported=sum(len(named) for named, _ in answers.named),
        accused=sum(1 for named in honest if named),
        negatives=len(honest),
        unanswered=len(answers.named) - len(answers.seconds),
        suspects=len(answers.named),
        documents=len(trial.library),
        fingerprints_a_document=_mean_or_zero([fingerprint.count for fingerprint in kept]),
        bytes_a_document=_mean_or_zero([fingerprint.nbytes for fingerprint in kept]),
        texts_a_second=len(trial.library) / seconds,
        million_characters_a_second=read.characters / seconds / 1e6,
        own_share=own / seconds,
        comparisons=_mean_or_zero(answers.comparisons),
        query_ms=float(np.median(answers.seconds)) * 1000 if answers.seconds else 0.0,
    )


def _look_up_suspects(
    trial: Trial, read: _ReadTexts, scheme: Scheme, index: SchemeIndex, narrowing: CandidateFilter
) -> _SchemeAnswers:
    answers = _SchemeAnswers([], [], [])
    for suspect, text in zip(trial.suspects, read.suspects, strict=True):
        fingerprint = scheme.fingerprint(text)
        named: set[str] = set()
        if fingerprint is not None:
            start = time.perf_counter()
            answer = index.look_up(fingerprint)
            answers.seconds.append(time.perf_counter() - start)
            answers.comparisons.append(answer.comparisons)
            works = (trial.library[match.number] for match in answer.matches)
            named = {id for id, work in works if _is_allowed(trial, narrowing, suspect, id, work)}
        answers.named.append((named, suspect.sources))
    return answers


def _is_allowed(trial: Trial, narrowing: CandidateFilter, suspect: Suspect, id: str, work: str) -> bool:
    return narrowing.allows(len(suspect.text), suspect.category, len(work), trial.categories.get(id))


def _mean_or_zero(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


# The results as a picture: a row for each scheme, a column for each disguise, darker where more is found. SVG.


_ROW_PIXELS, _COLUMN_PIXELS, _NAME_PIXELS, _HEAD_PIXELS = 26, 88, 160, 64  # pixels
_FONT_ATTRIBUTES = "font-family=\"'Noto Sans CJK SC','Noto Sans SC','Microsoft YaHei',sans-serif\" font-size=\"12\""
_FOUND_COLOUR, _ACCUSED_COLOUR = (33, 102, 172), (178, 24, 43)  # blue for what is found, red for those accused wrongly
_DARK_SHARE = 0.85  # share from which white letters are easier to read

_Colour = tuple[int, int, int]
_Cell = tuple[float | None, _Colour]


def draw_chart(results: Sequence[SchemeResult]) -> str:
    """An SVG document of its own, readable without colour too: every cell carries its figure."""
    kinds = list(results[0].by_kind) if results else []
    heads = ["找到 found", "准确 precision", "误报 accused", *kinds]
    width, height = _NAME_PIXELS + _COLUMN_PIXELS * len(heads) + 8, _HEAD_PIXELS + _ROW_PIXELS * len(results) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" {_FONT_ATTRIBUTES}>',
        "<title>指纹方法比较 fingerprint schemes compared</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for column, head in enumerate(heads):
        parts += _draw_heading(_NAME_PIXELS + _COLUMN_PIXELS * column + _COLUMN_PIXELS // 2, head)
    for row, result in enumerate(results):
        top = _HEAD_PIXELS + _ROW_PIXELS * row
        parts.append(_draw_text(_NAME_PIXELS - 8, top + 17, result.scheme, "end", "#222"))
        for column, (share, colour) in enumerate(_result_cells(result)):
            parts += _draw_cell(_NAME_PIXELS + _COLUMN_PIXELS * column, top, share, colour)
    return "\n".join([*parts, "</svg>", ""])


def save_chart(results: Sequence[SchemeResult], path: Path) -> None:
    """Write the picture to a file."""
    path.write_text(draw_chart(results), encoding="utf-8")


def _result_cells(result: SchemeResult) -> list[_Cell]:
    accused = result.accused / result.negatives if result.negatives else None
    return [
        (result.total.share, _FOUND_COLOUR),
        (result.precision, _FOUND_COLOUR),
        (accused, _ACCUSED_COLOUR),
        *((kind.share, _FOUND_COLOUR) for kind in result.by_kind.values()),
    ]


def _draw_heading(middle: int, text: str) -> list[str]:
    """Words of a heading, one below the other."""
    words = text.replace("+", " +").split(" ")
    return [
        _draw_text(middle, _HEAD_PIXELS - 12 - 15 * (len(words) - 1 - index), word, "middle", "#222")
        for index, word in enumerate(words)
    ]


def _draw_cell(left: int, top: int, share: float | None, colour: _Colour) -> list[str]:
    red, green, blue = (round(255 - (255 - part) * (share or 0.0)) for part in colour)
    letters = "#fff" if share is not None and share >= _DARK_SHARE else "#222"
    label = "–" if share is None else f"{share:.1%}"
    width, height = _COLUMN_PIXELS - 2, _ROW_PIXELS - 2
    return [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="rgb({red},{green},{blue})"/>',
        _draw_text(left + _COLUMN_PIXELS // 2 - 1, top + 17, label, "middle", letters),
    ]


def _draw_text(x: int, y: int, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
