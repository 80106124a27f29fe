"""Measure how a bulk job scales from one worker to two.

On a busy machine the clock says little about scaling, because two workers get no more of it than one. So the report
also has the share of time in which workers had a task, and the processor time of a page. The ratios of both together
are the loss of the job itself.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.corpora import PAGE_HEADERS, PAGE_SEED, GeneratedPage, generate_pages, store_generated_works
from benchmarks.generator.writer import Writer
from benchmarks.measurement import WORKER_PROCESSES, CostMeter
from benchmarks.report import BenchReport, Limit
from wenhen.bulk.frozen_library import freeze_to_url
from wenhen.bulk.job import BulkJob, DaskEngine, run_task
from wenhen.demo.website import SITES
from wenhen.runtime.wiring import App

MIN_SCALING_SHARE = 0.85  # share of perfect scaling from one core to two
WARC_FILES = 16  # WARC files, each a task
JOB_SHARDS = 16
ARCHIVE_PAGES_PER_HOST = 20  # pages of one host, as in an archive of many sites
WARM_UP_PAGES = 64  # pages of a first job, which warms the workers up and does not count

Progress = Callable[[int, int], None]
T = TypeVar("T")


class TimedEngine:
    """An engine that adds up how long its workers had a task."""

    def __init__(self, workers: int) -> None:
        self._engine = DaskEngine(workers)
        self.busy = 0.0  # seconds, of all workers together

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """Run the function on each task, like the port."""
        for task, (seconds, result) in self._engine.run(partial(_run_timed, function), tasks):
            self.busy += seconds
            yield task, result

    def close(self) -> None:
        """End the workers."""
        self._engine.close()


def _run_timed(function: Callable[[T], Any], task: T) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = run_task(function, task)
    return time.perf_counter() - begun, result


def measure_bulk(app: App, pages: int, works: int, progress: Progress | None = None) -> BenchReport:
    """Store generated works, and measure jobs on them."""
    store_generated_works(app, Writer(PAGE_SEED).works(works), works, progress)
    return measure_jobs(app, pages, works)


def measure_jobs(app: App, pages: int, works: int) -> BenchReport:
    """Measure jobs on the works that the store holds."""
    report = BenchReport("bulk")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        folder = Path(name)
        _freeze_library(app, folder, works, report)
        _write_warc_files(folder / "warm", list(generate_pages(WARM_UP_PAGES, works)))
        _write_warc_files(folder / "pages", list(generate_pages(pages, works, first=WARM_UP_PAGES)))
        report.rows = [_run_job(app, folder, workers, pages) for workers in (1, 2)]
    single, double = report.rows
    report.figures |= {
        "pages": pages,
        "works": works,
        "of perfect scaling to two, by the clock": double["pages a second"] / single["pages a second"] / 2,
    }
    share = double["busy"] / single["busy"] * single["CPU-ms a page"] / double["CPU-ms a page"]
    report.limits.append(Limit("of perfect scaling to two, by busy workers and CPU", share, least=MIN_SCALING_SHARE))
    return report


def _freeze_library(app: App, folder: Path, works: int, report: BenchReport) -> None:
    with CostMeter(app, ours=True) as meter:
        frozen = freeze_to_url(app, str(folder / "library"))
    report.figures |= {
        "frozen bytes a work": frozen.bytes / works,
        "CPU-ms to freeze a work": 1000 * sum(meter.cost.cpu.values()) / works,
    }


def _run_job(app: App, folder: Path, workers: int, pages: int) -> dict[str, Any]:
    """Return the cost of the job with this number of workers."""
    engine = TimedEngine(workers)
    try:
        for what in ("warm", "pages"):
            job = BulkJob(engine, str(folder / "library"), str(folder / f"{what}-{workers}"))
            engine.busy = 0.0
            with CostMeter(app, ours=True) as meter:
                cases = job.pages([str(folder / what)], shards=JOB_SHARDS).found
    finally:
        engine.close()
    cost = meter.cost
    return {
        "workers": workers,
        "pages a second": pages / cost.seconds,
        "CPU-ms a page": 1000 * cost.cpu[WORKER_PROCESSES] / pages,
        "cores taken": cost.cpu[WORKER_PROCESSES] / cost.seconds,
        "busy": engine.busy / cost.seconds / workers,
        "cases": cases,
    }


def _write_warc_files(folder: Path, pages: Iterable[GeneratedPage]) -> None:
    """Write the pages as WARC files, as a crawl does. Each page is written as it comes."""
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{number:02}.warc.gz").open("wb")) for number in range(WARC_FILES)]
        writers = [WARCWriter(file, gzip=True) for file in files]
        for place, page in enumerate(pages):
            headers = StatusAndHeaders("200 OK", list(PAGE_HEADERS), protocol="HTTP/1.1")
            url = page.url.replace("://", f"://h{place // (ARCHIVE_PAGES_PER_HOST * len(SITES))}.")
            writer = writers[place % WARC_FILES]
            record = writer.create_warc_record(url, "response", payload=BytesIO(page.body), http_headers=headers)
            writer.write_record(record)
