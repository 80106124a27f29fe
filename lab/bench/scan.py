"""One page looked up among many works, all in: letters, features, look-up, ranking, owners, alignment, verdict."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fingerprinter.normalize.read_letters import read_letters
from lab.bench.generator import Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport, Limit
from lab.bench.timing import one_core, seconds
from matcher.find import candidates
from pipeline.library.rebuild_index import rebuild_index
from pipeline.matching.candidates import works_like
from pipeline.matching.look_up import sources_among
from pipeline.matching.reading import Reading
from services.texts.check import copied_from
from store.records import OwnerKind
from wenhen.wiring import App

SEED = 13
PAGES = 300
COPIED = 400  # characters of every other page that come from a work
WARM = 20  # first pages, which meet cold caches; not counted


def measure(app: App, works: int = 5_000, progress: Progress | None = None) -> BenchReport:
    """Times through the product, on its own servers."""
    report = BenchReport("scan")
    storing = seconds(lambda: store_works(app, Writer(SEED).works(works), works, progress))
    rebuilding = seconds(lambda: rebuild_index(app, OwnerKind.WORK))
    pages = _pages(works)
    with one_core():
        found = sum(bool(copied_from(app, Reading(page))) for page in pages[:WARM])
        times = {name: _times(stage, app, pages[WARM:]) for name, stage in _STAGES.items()}
    report.figures |= {
        "works": works,
        "works stored and fingerprinted a second": works / storing,
        "works indexed by a rebuild a second": works / rebuilding,
        "pages with a copy among the first, found": found,
    }
    for name, milliseconds in times.items():
        p50, p99 = np.percentile(milliseconds, [50, 99])
        report.figures |= {f"{name} p50, ms": float(p50), f"{name} p99, ms": float(p99)}
    report.limits.append(Limit("scan of a page, p50 in ms", report.figures["scan p50, ms"], most=8))
    return report


def _pages(works: int) -> list[str]:
    """Pages of 1,000 characters; every other one copies a work."""
    pages = []
    for at, fresh in enumerate(Writer(SEED).works(PAGES + WARM, first=works)):
        copied = next(Writer(SEED).works(1, first=at * 7 % works)).text[300 : 300 + COPIED] if at % 2 else ""
        pages.append(fresh.text[:300] + copied + fresh.text[300 : 1000 - len(copied)])
    return pages


Stage = Callable[[App, str], Callable[[], Any]]


def _candidates(app: App, page: str) -> Callable[[], Any]:
    letters = read_letters(page)
    documents = app.store.fingerprints.reserved(OwnerKind.WORK)
    return lambda: candidates(letters, app.works_index, documents=documents)


def _compared(app: App, page: str) -> Callable[[], Any]:
    ranked = works_like(app, Reading(page))
    return lambda: sources_among(app, Reading(page), ranked)


_STAGES: dict[str, Stage] = {
    "scan": lambda app, page: lambda: copied_from(app, Reading(page)),
    "of it: letters": lambda _, page: lambda: read_letters(page),
    "of it: asking how large the library is": lambda app, _: lambda: app.store.fingerprints.reserved(OwnerKind.WORK),
    "of it: features, look-up, ranking": _candidates,
    "of it: all of these, and owners": lambda app, page: lambda: works_like(app, Reading(page)),
    "of it: works fetched, aligned and judged": _compared,
}


def _times(stage: Stage, app: App, pages: list[str]) -> list[float]:
    return [1000 * seconds(stage(app, page)) for page in pages]
