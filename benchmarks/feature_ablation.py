"""Measure recall with some kinds of features, and with samples of a page's features."""

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from benchmarks.corpora import Progress, Suite, true_share
from benchmarks.report import BenchReport, Limit
from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import FREQUENCIES, GRAMS, extract_features, pack_text
from fingerprinter.features.model import Features, unpack_features
from fingerprinter.initials.to_initials import to_initials
from matcher.index.memory_and_file_index import MemoryIndex
from matcher.index.protocol import Index
from matcher.retrieval.ranking import rank_documents
from wenhen.comparison.detection import copy_detections, load_suite_library, read_suite_rows
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_sources

# The contribution of each kind of feature: frequencies, grams, both.


FEATURE_KINDS = {"frequency alone": FREQUENCIES, "others alone": GRAMS, "both": FREQUENCIES + GRAMS}
MIN_PLAIN_CHARACTERS = 150  # Han characters of a passage that frequencies alone must find
PLAIN_DISGUISE = re.compile(r"none|trad|homophone\d*")
_HAN_PATTERN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


def measure_ablation(app: App, suite: Suite, progress: Progress | None = None) -> BenchReport:
    """Measure one suite through the product with varying indexes. `app` is empty before."""
    report = BenchReport(f"ablation {suite.name}")
    load_suite_library(app, suite.path, progress)
    plain = [
        bool(PLAIN_DISGUISE.fullmatch(passage["kind"])) and _count_han(suite, passage) >= MIN_PLAIN_CHARACTERS
        for passage in suite.truth
    ]
    for name, kinds in FEATURE_KINDS.items():
        limited = dataclasses.replace(app, works_index=_build_index(app, kinds))
        detections = [
            detection
            for id, text in suite.suspects.items()
            for detection in copy_detections(id, find_sources(limited, TextReading(text)))
        ]
        named = {(detection["suspect"], detection["source"]) for detection in detections}
        passages = suite.found_passages(detections)
        report.rows.append(
            {
                "features": name,
                "pairs found": true_share(pair in named for pair in suite.pairs),
                "passages found": true_share(passages),
                "plain passages found": true_share(ok for ok, wanted in zip(passages, plain, strict=True) if wanted),
                "negatives accused": len({suspect for suspect, _ in named} & suite.negatives),
            }
        )
    report.figures["plain passages (none, trad, homophone) of 150 Han characters and more"] = sum(plain)
    least = report.rows[0]["plain passages found"]
    if least is not None:
        report.limits.append(Limit("plain passages that frequency alone finds", least, least=0.95))
    return report


def _build_index(app: App, kinds: int) -> Index:
    """Return the library's index with these kinds of features only."""
    index = MemoryIndex()
    index.create(postings=0)
    index.load(_work_features(app, kinds))
    index.publish()
    return index


def _work_features(app: App, kinds: int) -> Iterator[tuple[int, Features]]:
    for segment in app.store.fingerprints.all(OwnerKind.WORK):
        text = app.store.blobs.get_text(app.store.works.get(segment.owner_id).text_digest)
        made = extract_features(to_initials(text), kinds)
        inside = slice(*np.searchsorted(made.positions, (segment.start, segment.start + segment.letters)))
        yield segment.number, Features(made.values[inside], made.positions[inside] - np.uint32(segment.start))


def _count_han(suite: Suite, passage: dict[str, object]) -> int:
    text = suite.suspects[str(passage["suspect"])]
    return len(_HAN_PATTERN.findall(text, int(str(passage["suspect_start"])), int(str(passage["suspect_end"]))))


# Sampling: how little of a page can be looked up before the copied works leave the candidates.


SAMPLED_SHARES = (0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)
PASSAGE_INITIALS = 256  # initials of a passage that is looked up whole
MAX_CANDIDATES = 64
LONG_PAGE_INITIALS = 3_000  # initials of a long page

SampleFunction = Callable[[Initials], Features]


@dataclass(frozen=True, slots=True)
class _SuiteLibrary:
    index: Index
    owners: dict[int, str]


def measure_sampling(suite: Suite) -> BenchReport:
    """Measure each sampling method and share: features looked up, and true pairs among the candidates."""
    report = BenchReport(f"sampling {suite.name}")
    library = _index_suite_library(suite)
    pages = {id: to_initials(text) for id, text in suite.suspects.items()}
    guilty = {id: pages[id] for id, _ in suite.pairs}
    letters = sum(len(page) for page in pages.values())
    for name, sample in _sampling_methods():
        asked = {id: sample(page) for id, page in pages.items()}
        candidates = {id: _candidate_works(library, page, asked[id]) for id, page in guilty.items()}
        pairs = [(len(pages[id]), source in candidates[id]) for id, source in sorted(suite.pairs)]
        report.rows.append(
            {
                "sample": name,
                "features per 1,000 letters": 1000 * sum(map(len, asked.values())) / letters,
                "pairs among the candidates": true_share(ok for _, ok in pairs),
                "of long pages": true_share(ok for length, ok in pairs if length >= LONG_PAGE_INITIALS),
            }
        )
    report.figures |= {
        "pages": len(pages),
        "letters a page, median": float(np.median([len(page) for page in pages.values()])),
        "works": len(set(library.owners.values())),
        "pairs": len(suite.pairs),
        "pairs of long pages": sum(len(pages[id]) >= LONG_PAGE_INITIALS for id, _ in suite.pairs),
    }
    return report


def _sampling_methods() -> Iterator[tuple[str, SampleFunction]]:
    yield "everything", extract_features
    yield "grams only", partial(extract_features, kinds=GRAMS)
    yield "frequencies only", partial(extract_features, kinds=FREQUENCIES)
    for part in SAMPLED_SHARES:
        yield f"features by hash, {part:.0%}", partial(_sample_by_hash, part=part)
    for part in SAMPLED_SHARES:
        yield f"passages of {PASSAGE_INITIALS} letters, {part:.0%}", partial(_sample_passages, part=part)


def _sample_by_hash(page: Initials, *, part: float) -> Features:
    """Return features with small hashes. Both sides choose the same, so the index could leave the others out."""
    made = extract_features(page)
    # The top bits select the bucket, so the middle ones are used.
    kept = (made.values >> np.uint64(24) & np.uint64(0xFFFF)) < np.uint64(part * 0x10000)
    return Features(made.values[kept], made.positions[kept])


def _sample_passages(page: Initials, *, part: float) -> Features:
    """Return the features of passages at equal distances. The text between them is not read."""
    parts = []
    for begin in range(0, len(page), round(PASSAGE_INITIALS / part)):
        end = begin + PASSAGE_INITIALS
        cut = Initials(page.codes[begin:end], page.starts[begin:end], page.ends[begin:end], page.length)
        made = extract_features(cut)
        parts.append(Features(made.values, made.positions + np.uint32(begin)))
    if not parts:
        return extract_features(page)
    return Features(np.concatenate([part.values for part in parts]), np.concatenate([part.positions for part in parts]))


def _index_suite_library(suite: Suite) -> _SuiteLibrary:
    owners: dict[int, str] = {}
    documents = []
    numbers = count()
    for row in read_suite_rows(suite.path / "library.jsonl"):
        for segment in pack_text(to_initials(row["text"])):
            number = next(numbers)
            owners[number] = row["id"]
            documents.append((number, unpack_features(segment.positions, segment.values)))
    index = MemoryIndex()
    index.create(postings=0)
    index.load(documents)
    index.publish()
    return _SuiteLibrary(index, owners)


def _candidate_works(library: _SuiteLibrary, page: Initials, asked: Features) -> set[str]:
    ranked = rank_documents(
        library.index.look_up(asked), query_letters=len(page), documents=len(library.owners), most=MAX_CANDIDATES
    )
    return {library.owners[document.number] for document in ranked}
