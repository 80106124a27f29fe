"""Sampling: how much of a page must be looked up until the works that it copies are no longer among the candidates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import FREQUENCIES, GRAMS, features
from fingerprinter.features.segments import pack, unpack
from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from lab.bench.report import BenchReport
from lab.bench.suites import Suite, share
from lab.detecting import rows
from matcher.index.memory import MemoryIndex
from matcher.index.port import Index
from matcher.ranking.rank import rank

SHARES = (0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)
PASSAGE = 256  # letters of a passage that is looked up whole
CANDIDATES = 64
LONG = 3_000  # letters of a long page

Sample = Callable[[Letters], Features]


@dataclass(frozen=True, slots=True)
class _Library:
    index: Index
    owners: dict[int, str]


def measure(suite: Suite) -> BenchReport:
    """For each way to sample and each share: features looked up, and true pairs among the candidates."""
    report = BenchReport(f"sampling {suite.name}")
    library = _library(suite)
    pages = {id: read_letters(text) for id, text in suite.suspects.items()}
    guilty = {id: pages[id] for id, _ in suite.pairs}
    letters = sum(len(page) for page in pages.values())
    for name, sample in _ways():
        asked = {id: sample(page) for id, page in pages.items()}
        found = {id: _candidates(library, page, asked[id]) for id, page in guilty.items()}
        pairs = [(len(pages[id]), source in found[id]) for id, source in sorted(suite.pairs)]
        report.rows.append(
            {
                "sample": name,
                "features per 1,000 letters": 1000 * sum(map(len, asked.values())) / letters,
                "pairs among the candidates": share(ok for _, ok in pairs),
                "of long pages": share(ok for length, ok in pairs if length >= LONG),
            }
        )
    report.figures |= {
        "pages": len(pages),
        "letters a page, median": float(np.median([len(page) for page in pages.values()])),
        "works": len(set(library.owners.values())),
        "pairs": len(suite.pairs),
        "pairs of long pages": sum(len(pages[id]) >= LONG for id, _ in suite.pairs),
    }
    return report


def _ways() -> Iterator[tuple[str, Sample]]:
    yield "everything", features
    yield "grams only", partial(features, kinds=GRAMS)
    yield "frequencies only", partial(features, kinds=FREQUENCIES)
    for part in SHARES:
        yield f"features by hash, {part:.0%}", partial(_by_hash, part=part)
    for part in SHARES:
        yield f"passages of {PASSAGE} letters, {part:.0%}", partial(_passages, part=part)


def _by_hash(page: Letters, *, part: float) -> Features:
    """The features whose hash is small: both sides would choose the same, and the index could leave the others out."""
    made = features(page)
    # The top bits choose the bucket; these are the middle ones.
    kept = (made.values >> np.uint64(24) & np.uint64(0xFFFF)) < np.uint64(part * 0x10000)
    return Features(made.values[kept], made.positions[kept])


def _passages(page: Letters, *, part: float) -> Features:
    """The features of passages at equal distances: what lies between is not even read."""
    parts = []
    for begin in range(0, len(page), round(PASSAGE / part)):
        end = begin + PASSAGE
        cut = Letters(page.codes[begin:end], page.starts[begin:end], page.ends[begin:end], page.length)
        made = features(cut)
        parts.append(Features(made.values, made.positions + np.uint32(begin)))
    if not parts:
        return features(page)
    return Features(np.concatenate([one.values for one in parts]), np.concatenate([one.positions for one in parts]))


def _library(suite: Suite) -> _Library:
    owners: dict[int, str] = {}
    documents = []
    numbers = count()
    for row in rows(suite.path / "library.jsonl"):
        for segment in pack(read_letters(row["text"])):
            number = next(numbers)
            owners[number] = row["id"]
            documents.append((number, unpack(segment.positions, segment.values)))
    index = MemoryIndex()
    index.create(postings=0)
    index.load(documents)
    index.publish()
    return _Library(index, owners)


def _candidates(library: _Library, page: Letters, asked: Features) -> set[str]:
    ranked = rank(library.index.look_up(asked), query_letters=len(page), documents=len(library.owners), most=CANDIDATES)
    return {library.owners[one.number] for one in ranked}
