"""Measure recall, precision and cost of each fingerprint scheme, and draw the results as SVG."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from fingerprinter.schemes.scheme import KeyBuckets, Parameters, PrefixedBuckets, Reads, Scheme, SchemeIndex
from fingerprinter.words.text import (
    EmptyCorpus,
    SchemeText,
    WeightRangeError,
    WeightTableError,
    WordWeights,
    cut_words,
    learn_weights,
    load_weights,
)
from matcher.retrieval.candidates import CandidateFilter
from wenhen.comparison.trial import Suspect, Trial
from wenhen.kit.errors import BadInput

# Measurement: run every scheme on one trial, and count matches, false accusations and costs.


Advance = Callable[[int, int], None]
Segment = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairRecall:
    """The number of true pairs of suspect and source, and how many of them were found."""

    found: int
    pairs: int

    @property
    def share(self) -> float:
        """Return the recall in [0, 1]; 0 without pairs."""
        return self.found / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeResult:
    """The figures of one scheme.

    - least: minimum length of a text for the scheme.
    - reported: pairs that it named, right or wrong.
    - accused: suspects that copy nothing, but for which it named a source; of `negatives`.
    - unanswered: suspects that are too short for the scheme.
    - texts_a_second, million_characters_a_second: per second of processor time, including cleaning and segmentation.
    - own_share: share of that time in the scheme itself.
    - comparisons: mean number of works that a query is compared with, of `documents`.
    - query_ms: median time of a query, without making its fingerprint.
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
        """Return the share of named pairs that are true; None if no pair was named."""
        return self.total.found / self.reported if self.reported else None


@dataclass(frozen=True, slots=True)
class _ReadTexts:
    """The texts of a trial, read once for all schemes, and the seconds for reading the library."""

    library: list[SchemeText]
    suspects: list[SchemeText]
    characters: int
    seconds: dict[Reads, float]


@dataclass(frozen=True, slots=True)
class _SchemeAnswers:
    """For each suspect the named works and the true sources; comparisons and seconds of answered queries."""

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
    """Yield the result of each scheme, in the given order.

    - buckets: the key store for look-ups by key.
    - narrowing: a filter on the answers of a scheme.
    - segment: function from text to words.
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


# The chart: a row per scheme and a column per disguise, darker for higher shares. SVG.


_ROW_PIXELS, _COLUMN_PIXELS, _NAME_PIXELS, _HEAD_PIXELS = 26, 88, 160, 64  # pixels
_FONT_ATTRIBUTES = "font-family=\"'Noto Sans CJK SC','Noto Sans SC','Microsoft YaHei',sans-serif\" font-size=\"12\""
_FOUND_COLOUR, _ACCUSED_COLOUR = (33, 102, 172), (178, 24, 43)  # blue for found pairs, red for false accusations
_DARK_SHARE = 0.85  # share from which white text is easier to read

_Colour = tuple[int, int, int]
_Cell = tuple[float | None, _Colour]


def draw_chart(results: Sequence[SchemeResult]) -> str:
    """Return a standalone SVG document. Every cell shows its figure, so the chart can be read without colour."""
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
    """Write the chart to a file."""
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
    """Draw the words of a heading, one below the other."""
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


def load_weight_table(path: Path) -> WordWeights:
    """Load a table of words and weights. Raises `BadInput` if it cannot be read."""
    try:
        return load_weights(path)
    except OSError as error:
        raise BadInput("files.unreadable", path=path, error=error.strerror) from error
    except WeightTableError as error:
        raise BadInput("schemes.bad_weights", path=path, error=error) from error
    except (WeightRangeError, UnicodeDecodeError) as error:
        raise BadInput("schemes.bad_weight", path=path) from error


def learn_weight_table(name: str, texts: Iterable[Sequence[str]]) -> WordWeights:
    """Learn the word weights of a corpus. Raises `BadInput` if it has no texts."""
    try:
        return learn_weights(name, texts)
    except EmptyCorpus as error:
        raise BadInput("schemes.no_texts") from error
