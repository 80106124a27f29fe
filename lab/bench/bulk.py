"""A bulk job over captured pages: with one worker and with two, on a library that is frozen in this run.

Where others use the machine too, the clock says little of scaling: two workers are given no more of it than one. So the
share of the time in which workers had a task in hand is told as well, and the processor time of a page, whose ratios
together are what the job itself loses.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lab.bench.chain.cost import WORKERS, Meter
from lab.bench.chain.pages import HEADERS, SEED, ChainPage, chain_pages
from lab.bench.generator import Writer
from lab.bench.library import store_works
from lab.bench.report import BenchReport, Limit
from lab.demo.sites import SITES
from wenhen.bulk.dask_engine import DaskEngine
from wenhen.bulk.engine import outcome
from wenhen.bulk.job import BulkJob
from wenhen.bulk.near_library import freeze_to
from wenhen.wiring import App

LEAST_SHARE = 0.85  # of perfect scaling from one core to two
FILES = 16  # WARC files that the pages stand in, each a task
SHARDS = 16
HOST_PAGES = 20  # pages of one host, as an archive of many sites has them
WARM = 64  # pages of a first job, at which workers import and map what they need; not counted

Progress = Callable[[int, int], None]
T = TypeVar("T")


class TimedEngine:
    """Two workers or one, and for how long they had a task in hand."""

    def __init__(self, workers: int) -> None:
        self._engine = DaskEngine(workers)
        self.busy = 0.0  # seconds, of all workers together

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """As the port has it."""
        for task, (seconds, found) in self._engine.run(partial(_timed, function), tasks):
            self.busy += seconds
            yield task, found

    def close(self) -> None:
        """As the port has it."""
        self._engine.close()


def _timed(function: Callable[[T], Any], task: T) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = outcome(function, task)
    return time.perf_counter() - begun, found


def measure(app: App, pages: int, works: int, progress: Progress | None = None) -> BenchReport:
    """All in this run, one after the other."""
    store_works(app, Writer(SEED).works(works), works, progress)
    return measure_jobs(app, pages, works)


def measure_jobs(app: App, pages: int, works: int) -> BenchReport:
    """The same of a store that holds the works already."""
    report = BenchReport("bulk")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        folder = Path(name)
        _freeze(app, folder, works, report)
        _write(folder / "warm", list(chain_pages(WARM, works)))
        _write(folder / "pages", list(chain_pages(pages, works, first=WARM)))
        report.rows = [_job(app, folder, workers, pages) for workers in (1, 2)]
    one, two = report.rows
    report.figures |= {
        "pages": pages,
        "works": works,
        "of perfect scaling to two, by the clock": two["pages a second"] / one["pages a second"] / 2,
    }
    share = two["busy"] / one["busy"] * one["CPU-ms a page"] / two["CPU-ms a page"]
    report.limits.append(Limit("of perfect scaling to two, by busy workers and CPU", share, least=LEAST_SHARE))
    return report


def _freeze(app: App, folder: Path, works: int, report: BenchReport) -> None:
    with Meter(app, ours=True) as meter:
        frozen = freeze_to(app, str(folder / "library"))
    report.figures |= {
        "frozen bytes a work": frozen.bytes / works,
        "CPU-ms to freeze a work": 1000 * sum(meter.cost.cpu.values()) / works,
    }


def _job(app: App, folder: Path, workers: int, pages: int) -> dict[str, Any]:
    """What the job costs with so many workers."""
    engine = TimedEngine(workers)
    try:
        for what in ("warm", "pages"):
            job = BulkJob(engine, str(folder / "library"), str(folder / f"{what}-{workers}"))
            engine.busy = 0.0
            with Meter(app, ours=True) as meter:
                found = job.pages([str(folder / what)], shards=SHARDS).found
    finally:
        engine.close()
    cost = meter.cost
    return {
        "workers": workers,
        "pages a second": pages / cost.seconds,
        "CPU-ms a page": 1000 * cost.cpu[WORKERS] / pages,
        "cores taken": cost.cpu[WORKERS] / cost.seconds,
        "busy": engine.busy / cost.seconds / workers,
        "cases": found,
    }


def _write(folder: Path, pages: Sequence[ChainPage]) -> None:
    """The pages as WARC files, as a crawl leaves them."""
    folder.mkdir()
    for number in range(FILES):
        with (folder / f"{number:02}.warc.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for place, page in list(enumerate(pages))[number::FILES]:
                headers = StatusAndHeaders("200 OK", list(HEADERS), protocol="HTTP/1.1")
                url = page.url.replace("://", f"://h{place // (HOST_PAGES * len(SITES))}.")
                record = writer.create_warc_record(url, "response", payload=BytesIO(page.body), http_headers=headers)
                writer.write_record(record)
