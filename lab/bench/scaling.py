"""What works and pages cost in a library of one size, all on one store: a column of the table in `docs/scaling.md`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fingerprinter.normalize.read_letters import read_letters
from lab.bench.bulk import measure_jobs
from lab.bench.chain.cost import Cost, Meter
from lab.bench.chain.measure import WARM, through_queues
from lab.bench.chain.pages import SEED, chain_pages
from lab.bench.generator import Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport
from lab.bench.scan import pages_among
from lab.bench.storage import tell_library
from lab.bench.timing import cpu_seconds, spread
from matcher.candidates import candidates
from pipeline.library.rebuild_index import make_missing_indexes, rebuild_index
from pipeline.matching.text_with_letters import Reading
from services.texts.works_copied_from import copied_from
from store.records import OwnerKind
from wenhen.wiring import App

LOOKS = 300  # at pages, one by one
WARM_LOOKS = 20  # the first ones, which meet cold caches; not counted


def measure(app: App, works: int, pages: int, progress: Progress | None = None) -> list[BenchReport]:
    """The library and looks at it; pages through the queues; as many in a bulk job. `app` is empty before."""
    library = measure_library(app, works, progress)
    return [library, _queues(app, works, pages, progress), measure_jobs(app, pages, works)]


def measure_library(app: App, works: int, progress: Progress | None = None) -> BenchReport:
    """What a work takes, and what looks at pages of 1,000 characters take, every other one with 400 of a work."""
    report = BenchReport("library")
    with Meter(app, ours=True) as stored:
        store_works(app, Writer(SEED).works(works), works, progress)
    tell_library(app, works, report)
    with Meter(app, ours=True) as indexed:
        rebuild_index(app, OwnerKind.WORK)
    make_missing_indexes(app)
    report.figures |= {
        "CPU-ms to write, store and fingerprint a work": _milliseconds(stored.cost, works),
        "CPU-ms to index a work": _milliseconds(indexed.cost, works),
        "bytes a work in the index": app.works_index.stats().bytes / works,
    }
    texts = pages_among(works, WARM_LOOKS + LOOKS, SEED)
    documents = app.store.fingerprints.reserved(OwnerKind.WORK)
    _tell_looks("features, look-up, ranking", partial(_ranked, app, documents), texts, report)
    _tell_looks("scan, all in", lambda text: copied_from(app, Reading(text)), texts, report)
    return report


def _ranked(app: App, documents: int, text: str) -> Any:
    return candidates(read_letters(text), app.works_index, documents=documents)


def _tell_looks(name: str, look: Callable[[str], Any], texts: list[str], report: BenchReport) -> None:
    for text in texts[:WARM_LOOKS]:
        look(text)
    actions = [partial(look, text) for text in texts[WARM_LOOKS:]]
    times, computed = spread(actions), [1000 * cpu_seconds(action) for action in actions]
    report.figures |= {
        f"{name}: p50, ms": times.p50_ms,
        f"{name}: p99, ms": times.p99_ms,
        f"{name}: of a processor in this process, p50, ms": float(np.median(computed)),
    }


def _queues(app: App, works: int, pages: int, progress: Progress | None) -> BenchReport:
    report = BenchReport("queues")
    cost = through_queues(app, list(chain_pages(WARM + pages, works)), progress)
    report.figures |= {
        "pages": pages,
        "CPU-ms a page": _milliseconds(cost, pages),
        "pages a second": pages / cost.seconds,
        **{f"round trips a page, {where}": count / pages for where, count in cost.trips.items()},
    }
    return report


def _milliseconds(cost: Cost, count: int) -> float:
    """Of processors, all processes together."""
    return 1000 * sum(cost.cpu.values()) / count
