"""What the second look at a page costs beside the first, and how both grow with the number of works."""

import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import psutil

from lab.bench.generator import Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport, Limit
from lab.bench.scan import pages_among
from lab.bench.suites import Suite
from lab.detecting import load_library
from pipeline.library.rebuild_index import rebuild_index
from pipeline.matching.suspicions import suspected
from pipeline.matching.text_with_letters import Reading
from services.texts.check import copied_from
from store.records import OwnerKind
from wenhen.wiring import App

SEED = 23
WARMING = 10  # of the pages that are looked up before, so that nothing is compiled while it is measured


def measure(app: App, suite: Suite, sizes: Iterable[int], pages: int, progress: Progress | None = None) -> BenchReport:
    """The suite's works among so many generated ones, the sizes one after the other; each time so many of its suspects
    are looked up, and as many generated pages, half of which copy. `app` is empty before, and its settings want
    suspicions.
    """
    report = BenchReport(f"suspicions {suite.name}")
    load_library(app, suite.path)
    texts = list(suite.suspects.values())[:pages]
    for before, works in pairwise((0, *sorted(set(sizes)))):
        store_works(app, Writer(SEED).works(works - before, before), works - before, progress)
        rebuild_index(app, OwnerKind.WORK)
        report.rows.append(_grown(app, "suite's", texts))
        report.rows.append(_grown(app, "generated", pages_among(works, pages, SEED)))
    for row in report.rows[-2:]:
        what = f"both looks at {row['pages']} pages beside the first, times its CPU"
        report.limits.append(Limit(what, row["times"], most=2))
    return report


def _grown(app: App, pages: str, texts: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of CPU a page, here and in the servers; bytes of both indexes."""
    for text in texts[:WARMING]:
        _looks(app, text)
    spent = [_looks(app, text) for text in texts]
    first, second = (1000 * sum(one[at] for one in spent) / len(spent) for at in (0, 1))
    letters, words = app.works_index.stats(), app.rare_words.stats()
    return {
        "works": app.store.works.count(),
        "pages": pages,
        "first look, ms": first,
        "second look, ms": second,
        "times": (first + second) / first,
        "index, MB": letters.bytes / 1e6,
        "rare words, MB": words.bytes / 1e6,
        "rare words left out": words.hot,
    }


def _looks(app: App, text: str) -> tuple[float, float]:
    """The seconds of CPU that each look takes."""
    reading = Reading(text)
    begun = _cpu_seconds()
    copied = copied_from(app, reading)
    looked = _cpu_seconds()
    suspected(app, reading, copied)
    return looked - begun, _cpu_seconds() - looked


def _cpu_seconds() -> float:
    """Of this process and of the servers that it started."""
    servers = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    return time.process_time() + sum(one.user + one.system for one in servers)
