"""Measure page look-ups among many works: stages, a suite among generated works, and the paraphrase look-up."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import psutil

from benchmarks.corpora import Progress, Suite, store_generated_works, true_share
from benchmarks.generator.writer import Writer
from benchmarks.measurement import pin_to_one_core, wall_seconds
from benchmarks.report import BenchReport, Limit
from fingerprinter.initials.to_initials import to_initials
from matcher.retrieval.candidates import find_candidates
from wenhen.cases.calibration import cached_calibration
from wenhen.comparison.detection import Detection, copy_detections, load_suite_library
from wenhen.context.caches import LruCache
from wenhen.context.use_cases import MAX_CACHED_CHARACTERS
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind
from wenhen.matching.candidate_cache import CandidateCache, find_works_with_cache
from wenhen.matching.candidates import find_candidate_works_of_all
from wenhen.matching.comparison import Source, compare_with_candidates
from wenhen.matching.index_rebuild import rebuild_index
from wenhen.matching.paraphrases import find_paraphrased_works_of_all
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_sources

# The look-up of one page among many works: initials, features, look-up, ranking, works, alignment, verdict.


SCAN_SEED = 13
SCAN_PAGES = 300
COPIED_CHARACTERS = 400  # copied characters of every other page
WARM_UP_PAGES = 20  # first pages, which meet cold caches and do not count


def measure_scan(app: App, works: int = 5_000, progress: Progress | None = None) -> BenchReport:
    """Measure look-ups through the product on its own servers."""
    report = BenchReport("scan")
    storing = wall_seconds(lambda: store_generated_works(app, Writer(SCAN_SEED).works(works), works, progress))
    rebuilding = wall_seconds(lambda: rebuild_index(app, OwnerKind.WORK))
    pages = generate_query_pages(works, SCAN_PAGES + WARM_UP_PAGES, SCAN_SEED)
    with pin_to_one_core():
        copies = sum(bool(find_sources(app, TextReading(page))) for page in pages[:WARM_UP_PAGES])
        times = {name: _stage_milliseconds(stage, app, pages[WARM_UP_PAGES:]) for name, stage in _SCAN_STAGES.items()}
    report.figures |= {
        "works": works,
        "works stored and fingerprinted a second": works / storing,
        "works indexed by a rebuild a second": works / rebuilding,
        "pages with a copy among the first, found": copies,
    }
    for name, milliseconds in times.items():
        p50, p99 = np.percentile(milliseconds, [50, 99])
        report.figures |= {f"{name} p50, ms": float(p50), f"{name} p99, ms": float(p99)}
    report.limits.append(Limit("scan of a page, p50 in ms", report.figures["scan p50, ms"], most=8))
    return report


def generate_query_pages(works: int, pages: int, seed: int) -> list[str]:
    """Return pages of 1,000 characters. Every other one copies a work of this seed."""
    texts = []
    for number, fresh in enumerate(Writer(seed).works(pages, first=works)):
        copied = (
            next(Writer(seed).works(1, first=number * 7 % works)).text[300 : 300 + COPIED_CHARACTERS]
            if number % 2
            else ""
        )
        texts.append(fresh.text[:300] + copied + fresh.text[300 : 1000 - len(copied)])
    return texts


ScanStage = Callable[[App, str], Callable[[], Any]]


def _candidate_stage(app: App, page: str) -> Callable[[], Any]:
    letters = to_initials(page)
    documents = app.store.fingerprints.count_reserved(OwnerKind.WORK)
    return lambda: find_candidates(letters, app.works_index, documents=documents)


def _work_stage(app: App, page: str) -> Callable[[], Any]:
    return lambda: find_works_with_cache(app, TextReading(page), cached_calibration(app))


def _comparison_stage(app: App, page: str) -> Callable[[], Any]:
    reading = TextReading(page)  # the one that was screened, as another would be compared with every candidate
    ranked, library = find_works_with_cache(app, reading, cached_calibration(app))
    return lambda: compare_with_candidates(app, reading, ranked, library)


_SCAN_STAGES: dict[str, ScanStage] = {
    "scan": lambda app, page: lambda: find_sources(app, TextReading(page)),
    "of it: letters": lambda _, page: lambda: to_initials(page),
    "of it: asking how large the library is": lambda app, _: (
        lambda: app.store.fingerprints.count_reserved(OwnerKind.WORK)
    ),
    "of it: features, look-up, ranking": _candidate_stage,
    "of it: all of these, and works with their texts": _work_stage,
    "of it: aligned and judged": _comparison_stage,
}


def _stage_milliseconds(stage: ScanStage, app: App, pages: list[str]) -> list[float]:
    return [1000 * wall_seconds(stage(app, page)) for page in pages]


# A suite's works among generated ones, all through the whole path. Then its suspects are looked up.


HAYSTACK_SEED = 17


def measure_haystack(
    app: App, suite: Suite, works: int, out: Path | None = None, progress: Progress | None = None
) -> BenchReport:
    """Measure `works` generated works beside the suite's. `app` is empty before. out: the file of detections, JSON
    lines.
    """
    report = BenchReport(f"haystack {suite.name}")
    storing = wall_seconds(lambda: store_generated_works(app, Writer(HAYSTACK_SEED).works(works), works, progress))
    loading = wall_seconds(lambda: load_suite_library(app, suite.path))
    stats = app.works_index.stats()
    detections, times = look_up_suspects(app, suite, progress)
    if out is not None:
        with out.open("w", encoding="utf-8") as lines:
            write_detections(detections, lines)
    named = {(detection["suspect"], detection["source"]) for detection in detections}
    p50, p99 = np.percentile(times, [50, 99])
    report.figures |= {
        "generated works": works,
        "works": app.store.works.count(),
        "stored and fingerprinted a second": works / storing if works else 0.0,
        "seconds for the suite's works and the rebuild of the index": loading,
        "index memory, MB": stats.bytes / 1e6,
        "postings": stats.postings,
        "hot features": stats.hot,
        "fingerprints": app.store.fingerprints.count(OwnerKind.WORK),
        "pairs": len(suite.pairs),
        "pairs found": true_share(pair in named for pair in suite.pairs) or 0.0,
        "passages found": true_share(suite.found_passages(detections)) or 0.0,
        "negatives": len(suite.negatives),
        "false pairs a suspect": len(named - suite.pairs) / len(suite.suspects),
        "generated works accused": len({source for _, source in named if source.startswith("generated/")}),
        "look-up of a suspect p50, ms": float(p50),
        "look-up of a suspect p99, ms": float(p99),
    }
    accused = len({suspect for suspect, _ in named} & suite.negatives)
    report.limits.append(Limit("negatives accused", accused, most=0))
    return report


def look_up_suspects(app: App, suite: Suite, progress: Progress | None = None) -> tuple[list[Detection], list[float]]:
    """Return the detections that would open cases, and the milliseconds of each suspect."""
    detections: list[Detection] = []
    times = []
    for done, (id, text) in enumerate(suite.suspects.items(), 1):
        start = time.perf_counter()
        sources = find_sources(app, TextReading(text))
        times.append(1000 * (time.perf_counter() - start))
        detections.extend(copy_detections(id, sources))
        if progress:
            progress(done, len(suite.suspects))
    return detections, times


def write_detections(detections: list[Detection], lines: IO[str]) -> None:
    """Write detections like `wenhen detect`."""
    for detection in detections:
        lines.write(json.dumps(detection, ensure_ascii=False) + "\n")


SUSPICION_SEED = 23
BATCH_PAGES = 50  # pages, as in a batch of the queues
WARM_UP_SUSPECTS = 10  # pages that are looked up first, so that everything is compiled


def measure_suspicions(
    app: App, suite: Suite, sizes: Iterable[int], pages: int, progress: Progress | None = None
) -> BenchReport:
    """Measure the suite's works among growing numbers of generated ones. For each size, look up some of its suspects
    and as many generated pages, half of which copy.

    `app` is empty before, and its settings enable suspicions.
    """
    report = BenchReport(f"suspicions {suite.name}")
    load_suite_library(app, suite.path)
    texts = list(suite.suspects.values())[:pages]
    for before, works in pairwise((0, *sorted(set(sizes)))):
        store_generated_works(app, Writer(SUSPICION_SEED).works(works - before, before), works - before, progress)
        rebuild_index(app, OwnerKind.WORK)
        report.rows.append(_suspicion_row(app, "suite's", texts))
        report.rows.append(_suspicion_row(app, "generated", generate_query_pages(works, pages, SUSPICION_SEED)))
    for row in report.rows[-2:]:
        what = f"both looks at {row['pages']} pages beside the first, times its CPU"
        report.limits.append(Limit(f"{what}, one by one", row["times"], most=2))
        report.limits.append(Limit(f"{what}, {BATCH_PAGES} together", row["times together"], most=2))
    return report


def _suspicion_row(app: App, pages: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return processor milliseconds a page, here and in the servers, and bytes of both indexes."""
    _look_milliseconds(app, texts[:WARM_UP_SUSPECTS], 1)
    _look_milliseconds(app, texts[:WARM_UP_SUSPECTS], BATCH_PAGES)
    first, second = _look_milliseconds(app, texts, 1)
    first_together, second_together = _look_milliseconds(app, texts, BATCH_PAGES)
    letters, words = app.works_index.stats(), app.rare_words.stats()
    return {
        "works": app.store.works.count(),
        "pages": pages,
        "first look, ms": first,
        "second look, ms": second,
        "times": (first + second) / first,
        "first look together, ms": first_together,
        "second look together, ms": second_together,
        "times together": (first_together + second_together) / first_together,
        "index, MB": letters.bytes / 1e6,
        "rare words, MB": words.bytes / 1e6,
        "rare words left out": words.hot,
    }


def _look_milliseconds(app: App, texts: Sequence[str], together: int) -> tuple[float, float]:
    """Return the processor milliseconds of each look a text, in batches of `together`."""
    app = replace(app, recent_texts=LruCache(MAX_CACHED_CHARACTERS))  # an empty cache for both looks
    first = second = 0.0
    for begin in range(0, len(texts), together):
        readings = [TextReading(text) for text in texts[begin : begin + together]]
        begun = _total_cpu_seconds()
        copied = _find_sources(app, readings)
        looked = _total_cpu_seconds()
        find_paraphrased_works_of_all(app, list(zip(readings, copied, strict=True)))
        first, second = first + looked - begun, second + _total_cpu_seconds() - looked
    return 1000 * first / len(texts), 1000 * second / len(texts)


def _find_sources(app: App, readings: Sequence[TextReading]) -> list[list[Source]]:
    """Return the works that would open a case against each text."""
    ranked = find_candidate_works_of_all(app, readings)
    library = CandidateCache(app, list(zip(readings, ranked, strict=True)))
    compared = (
        compare_with_candidates(app, reading, works, library) for reading, works in zip(readings, ranked, strict=True)
    )
    return [[source for source in sources if source.accuse] for sources in compared]


def _total_cpu_seconds() -> float:
    """Return the processor seconds of this process and of its servers."""
    servers = [server.cpu_times() for server in psutil.Process().children(recursive=True)]
    return time.process_time() + sum(server.user + server.system for server in servers)
