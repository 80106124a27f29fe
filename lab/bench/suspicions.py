"""What the second look at a page costs beside the first, and how both grow with the number of works."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import psutil

from lab.bench.generator import Writer
from lab.bench.library import Progress, store_works
from lab.bench.report import BenchReport, Limit
from lab.bench.scan import pages_among
from lab.bench.suites import Suite
from lab.detecting import load_library
from pipeline.context import RECENT_CHARACTERS
from pipeline.library.rebuild_index import rebuild_index
from pipeline.matching.candidates import all_works_like
from pipeline.matching.compare_with_candidates import Source, sources_among
from pipeline.matching.second_look import suspected_all
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.works_of_a_batch import Library
from pipeline.recently_used import Recent
from store.records import OwnerKind
from wenhen.wiring import App

SEED = 23
TOGETHER = 50  # pages, as in the queues
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
        report.limits.append(Limit(f"{what}, one by one", row["times"], most=2))
        report.limits.append(Limit(f"{what}, {TOGETHER} together", row["times together"], most=2))
    return report


def _grown(app: App, pages: str, texts: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of CPU a page, here and in the servers; bytes of both indexes."""
    _looks(app, texts[:WARMING], 1)
    _looks(app, texts[:WARMING], TOGETHER)
    first, second = _looks(app, texts, 1)
    first_together, second_together = _looks(app, texts, TOGETHER)
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


def _looks(app: App, texts: Sequence[str], together: int) -> tuple[float, float]:
    """The milliseconds of CPU that each look takes at one of these texts, so many of which are looked at together."""
    app = replace(app, recent_texts=Recent(RECENT_CHARACTERS))  # what is compared is at hand for neither way
    first = second = 0.0
    for begin in range(0, len(texts), together):
        readings = [Reading(text) for text in texts[begin : begin + together]]
        begun = _cpu_seconds()
        copied = _copied_from(app, readings)
        looked = _cpu_seconds()
        suspected_all(app, list(zip(readings, copied, strict=True)))
        first, second = first + looked - begun, second + _cpu_seconds() - looked
    return 1000 * first / len(texts), 1000 * second / len(texts)


def _copied_from(app: App, readings: Sequence[Reading]) -> list[list[Source]]:
    """The works that would open a case against each of these texts."""
    ranked = all_works_like(app, readings)
    library = Library(app, ranked)
    found = (sources_among(app, one, works, library) for one, works in zip(readings, ranked, strict=True))
    return [[source for source in sources if source.accuse] for sources in found]


def _cpu_seconds() -> float:
    """Of this process and of the servers that it started."""
    servers = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    return time.process_time() + sum(one.user + one.system for one in servers)
