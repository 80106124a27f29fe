"""Measure how a bulk job scales from one worker to two.

On a busy machine the clock says little about scaling, because two workers get no more of it than one. So the report
also has the share of time in which workers had a task, and the processor time of a page. The ratios of both together
are the loss of the job itself.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.corpora import (
    PAGE_HEADERS,
    PAGE_SEED,
    GeneratedPage,
    copied_work,
    generate_pages,
    store_generated_works,
)
from benchmarks.generator.writer import GeneratedWork, Writer
from benchmarks.measurement import WORKER_PROCESSES, CostMeter, MemoryMeter
from benchmarks.report import BenchReport, Limit
from wenhen.bulk.frozen_library import freeze_to_url
from wenhen.bulk.job import BulkJob, DaskEngine, run_task
from wenhen.demo.website import SITES
from wenhen.runtime.wiring import App

MIN_SCALING_SHARE = 0.85  # share of perfect scaling from one core to two
WARC_FILES = 16  # WARC files, each a task
MIN_JOB_SHARDS = 16
MAX_PAGES_PER_SHARD = 10_000  # a worker holds the pages of a shard in memory
ARCHIVE_PAGES_PER_HOST = 20  # pages of one host, as in an archive of many sites
WARM_UP_PAGES = 64  # pages of a first job, which warms the workers up and does not count
MIN_COPIES_FOUND = 0.99  # share of the pages with 500 characters of a work
BOTH = (1, 2)  # numbers of workers from which the scaling follows
PAGE_NUMBER = re.compile(r"\d+")

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


def measure_bulk(
    app: App, pages: int, works: int, workers: Sequence[int] = BOTH, progress: Progress | None = None
) -> BenchReport:
    """Store generated works, and measure jobs on them with each of these numbers of workers."""
    store_generated_works(app, Writer(PAGE_SEED).works(works), works, progress)
    return measure_jobs(app, pages, works, workers)


def measure_jobs(app: App, pages: int, works: int, workers: Sequence[int] = BOTH) -> BenchReport:
    """Measure jobs on the works that the store holds."""
    report = BenchReport("bulk")
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        folder = Path(name)
        _freeze_library(app, folder, works, report)
        _write_warc_files(folder / "warm", generate_pages(WARM_UP_PAGES, works))
        _write_warc_files(folder / "pages", generate_pages(pages, works, first=WARM_UP_PAGES))
        report.rows = [_run_job(app, folder, number, pages, works) for number in workers]
    report.figures |= {"pages": pages, "works": works}
    recall = min(row["copies found"] for row in report.rows)
    report.limits.append(Limit("copies found, of those that were made", recall, least=MIN_COPIES_FOUND))
    if tuple(workers) == BOTH:
        _report_scaling(report, *report.rows)
    return report


def _report_scaling(report: BenchReport, single: Mapping[str, Any], double: Mapping[str, Any]) -> None:
    clock = double["pages a second"] / single["pages a second"] / 2
    report.figures["of perfect scaling to two, by the clock"] = clock
    share = double["busy"] / single["busy"] * single["CPU-ms a page"] / double["CPU-ms a page"]
    report.limits.append(Limit("of perfect scaling to two, by busy workers and CPU", share, least=MIN_SCALING_SHARE))


def _freeze_library(app: App, folder: Path, works: int, report: BenchReport) -> None:
    with CostMeter(app, ours=True) as meter:
        frozen = freeze_to_url(app, str(folder / "library"))
    report.figures |= {
        "frozen bytes a work": frozen.bytes / works,
        "CPU-ms to freeze a work": 1000 * sum(meter.cost.cpu.values()) / works,
    }


def _run_job(app: App, folder: Path, workers: int, pages: int, works: int) -> dict[str, Any]:
    """Return the cost of the job with this number of workers, and what it found."""
    engine = TimedEngine(workers)
    try:
        for what in ("warm", "pages"):
            job = BulkJob(engine, str(folder / "library"), str(folder / f"{what}-{workers}"))
            engine.busy = 0.0
            with CostMeter(app, ours=True) as meter, MemoryMeter() as memory:
                outcome = job.pages([str(folder / what)], shards=max(MIN_JOB_SHARDS, pages // MAX_PAGES_PER_SHARD))
    finally:
        engine.close()
    cost = meter.cost
    return {
        "workers": workers,
        "pages a second": pages / cost.seconds,
        "CPU-ms a page": 1000 * cost.cpu[WORKER_PROCESSES] / pages,
        "cores taken": cost.cpu[WORKER_PROCESSES] / cost.seconds,
        "busy": engine.busy / cost.seconds / workers,
        "own MB of a process": memory.own_mb,
        "mapped MB of a process": memory.mapped_mb,
        **_judge_cases(Path(outcome.file), pages, works),
    }


def _judge_cases(cases_file: Path, pages: int, works: int) -> dict[str, Any]:
    """Count the cases, the share of the copies that they are, and the pairs of which the page copies nothing."""
    made = {
        (number, GeneratedWork(work, "").id)
        for number in range(WARM_UP_PAGES, WARM_UP_PAGES + pages)
        if (work := copied_work(number, works)) is not None
    }
    with cases_file.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    opened = {(int(PAGE_NUMBER.findall(case["page_url"])[-1]), case["work_id"]) for case in cases}
    found = len(opened & made) / len(made) if made else 1.0
    return {"cases": len(cases), "copies found": found, "other pairs": len(opened - made)}


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
