"""Measure what works and pages cost as the library grows: MongoDB, index, look-ups, queues, bulk job."""

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from pymongo import MongoClient

from benchmarks.bulk_job import measure_jobs
from benchmarks.corpora import PAGE_SEED, Progress, generate_pages, store_generated_works
from benchmarks.generator.writer import GeneratedWork, Writer
from benchmarks.lookup import generate_query_pages
from benchmarks.measurement import Cost, CostMeter, cpu_seconds, time_spread
from benchmarks.pipeline_throughput import QUEUE_WARM_UP_PAGES, run_through_queues
from benchmarks.report import BenchReport, Limit
from fingerprinter.initials.to_initials import to_initials
from matcher.retrieval.candidates import find_candidates
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import OwnerKind
from wenhen.matching.index_rebuild import build_missing_indexes, rebuild_index
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_sources

# The bytes of a library in MongoDB, by collection and index, and those of captured bodies beside gzip.


STORAGE_SEED = 17
MAX_WORK_BYTES = 3_500  # bytes a work of 1,000 characters and more, all in
BODY_PAGES = 2_000  # captured pages, a quarter of them twice
BODY_WORKS = 900  # works that a tenth of them copy
MAX_GZIP_RATIO = 1.1  # ratio to gzip's bytes of each distinct body, with entries and indexes


def measure_storage(app: App, works: int, progress: Progress | None = None) -> BenchReport:
    """Measure generated works, stored and fingerprinted. `app` is empty before. Bytes are those of flushed files."""
    report = BenchReport("storage")
    characters = 0

    def count_characters() -> Iterator[GeneratedWork]:
        nonlocal characters
        for work in Writer(STORAGE_SEED).works(works):
            characters += len(work.text)
            yield work

    store_generated_works(app, count_characters(), works, progress)
    report_library_size(app, works, report)
    report.figures["characters a work"] = characters / works
    return report


def report_library_size(app: App, works: int, report: BenchReport) -> None:
    """Report the size of the works in the store, which holds nothing else."""
    report.rows = _collection_rows(app, works)
    total = sum(row["files"] + row["indexes"] for row in report.rows)
    report.figures |= {"works": works, "bytes a work": total}
    report.limits.append(Limit("bytes a work", total, most=MAX_WORK_BYTES))


def measure_bodies(app: App) -> BenchReport:
    """Measure bodies of generated pages in MongoDB. `app` is empty before."""
    report = BenchReport("storage of bodies")
    bodies = [page.body for page in generate_pages(BODY_PAGES, BODY_WORKS)]
    for some in (bodies, bodies[: BODY_PAGES // 4]):
        app.store.blobs.put_all(some)
    taken = sum(
        row["files"] + row["indexes"] for row in _collection_rows(app, 1) if row["collection"].startswith("blobs.")
    )
    least = sum(len(gzip.compress(body)) for body in set(bodies))
    report.figures |= {
        "pages": BODY_PAGES,
        "different bodies": len(set(bodies)),
        "bytes a page by gzip": least / BODY_PAGES,
    }
    report.limits.append(Limit("bytes of bodies / gzip's of each different one", taken / least, most=MAX_GZIP_RATIO))
    return report


def _collection_rows(app: App, works: int) -> list[dict[str, Any]]:
    """Return bytes a work of each collection: documents before compression, file, and each index."""
    with MongoClient[dict[str, Any]](app.settings.mongo.url) as client:
        database = client[app.settings.mongo.database]
        client.admin.command("fsync")  # a checkpoint, because cached data has no size in the files yet
        rows = []
        for name in sorted(database.list_collection_names()):
            stats = database.command("collStats", name)
            indexes = sorted(stats["indexSizes"].items(), key=lambda pair: -pair[1])
            if stats["count"]:
                rows.append(
                    {
                        "collection": name,
                        "documents": stats["size"] / works,
                        "files": stats["storageSize"] / works,
                        "indexes": stats["totalIndexSize"] / works,
                        "each": ", ".join(f"{index} {size / works:.0f}" for index, size in indexes),
                    }
                )
    return rows


# The cost of works and pages in a library of one size: a column of the table in `docs/scaling.md`.


SCALING_LOOK_UPS = 300  # look-ups of pages, one by one
WARM_UP_LOOK_UPS = 20  # first look-ups, which meet cold caches and do not count


def measure_scaling(app: App, works: int, pages: int, progress: Progress | None = None) -> list[BenchReport]:
    """Measure the library and its look-ups, the queues, and a bulk job of as many pages. `app` is empty before."""
    library = measure_library(app, works, progress)
    return [library, _measure_queues(app, works, pages, progress), measure_jobs(app, pages, works)]


def measure_library(app: App, works: int, progress: Progress | None = None) -> BenchReport:
    """Measure a work, and look-ups of pages of 1,000 characters. Every other page has 400 characters of a work."""
    report = BenchReport("library")
    with CostMeter(app, ours=True) as stored:
        store_generated_works(app, Writer(PAGE_SEED).works(works), works, progress)
    report_library_size(app, works, report)
    with CostMeter(app, ours=True) as indexed:
        rebuild_index(app, OwnerKind.WORK)
    build_missing_indexes(app)
    report.figures |= {
        "CPU-ms to write, store and fingerprint a work": _cpu_milliseconds(stored.cost, works),
        "CPU-ms to index a work": _cpu_milliseconds(indexed.cost, works),
        "bytes a work in the index": app.works_index.stats().bytes / works,
    }
    texts = generate_query_pages(works, WARM_UP_LOOK_UPS + SCALING_LOOK_UPS, PAGE_SEED)
    documents = app.store.fingerprints.count_reserved(OwnerKind.WORK)
    _report_look_ups("features, look-up, ranking", partial(_rank_candidates, app, documents), texts, report)
    _report_look_ups("scan, all in", lambda text: find_sources(app, TextReading(text)), texts, report)
    return report


def _rank_candidates(app: App, documents: int, text: str) -> Any:
    return find_candidates(to_initials(text), app.works_index, documents=documents)


def _report_look_ups(name: str, look: Callable[[str], Any], texts: list[str], report: BenchReport) -> None:
    for text in texts[:WARM_UP_LOOK_UPS]:
        look(text)
    actions = [partial(look, text) for text in texts[WARM_UP_LOOK_UPS:]]
    times, computed = time_spread(actions), [1000 * cpu_seconds(action) for action in actions]
    report.figures |= {
        f"{name}: p50, ms": times.p50_ms,
        f"{name}: p99, ms": times.p99_ms,
        f"{name}: of a processor in this process, p50, ms": float(np.median(computed)),
    }


def _measure_queues(app: App, works: int, pages: int, progress: Progress | None) -> BenchReport:
    report = BenchReport("queues")
    cost = run_through_queues(app, list(generate_pages(QUEUE_WARM_UP_PAGES + pages, works)), progress)
    report.figures |= {
        "pages": pages,
        "CPU-ms a page": _cpu_milliseconds(cost, pages),
        "pages a second": pages / cost.seconds,
        **{f"round trips a page, {where}": count / pages for where, count in cost.trips.items()},
    }
    return report


def _cpu_milliseconds(cost: Cost, count: int) -> float:
    """Return processor milliseconds of all processes together."""
    return 1000 * sum(cost.cpu.values()) / count
