"""A bulk job over captured pages: with one worker and with two, each on a library that is frozen in this run."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lab.bench.chain.cost import WORKERS, Cost, Meter
from lab.bench.chain.pages import HEADERS, SEED, ChainPage, chain_pages
from lab.bench.generator import Writer
from lab.bench.library import store_works
from lab.bench.report import BenchReport, Limit
from lab.demo.sites import SITES
from wenhen.bulk.dask_engine import DaskEngine
from wenhen.bulk.job import BulkJob
from wenhen.bulk.near_library import freeze_to
from wenhen.wiring import App

LEAST_SHARE = 0.85  # of perfect scaling from one core to two
FILES = 16  # WARC files that the pages stand in, each a task
SHARDS = 16
HOST_PAGES = 20  # pages of one host, as an archive of many sites has them
WARM = 64  # pages of a first job, at which workers import and map what they need; not counted

Progress = Callable[[int, int], None]


def measure(app: App, pages: int, works: int, progress: Progress | None = None) -> BenchReport:
    """All in this run, one after the other."""
    report = BenchReport("bulk")
    store_works(app, Writer(SEED).works(works), works, progress)
    with TemporaryDirectory(prefix="wenhen-bench-") as name:
        folder = Path(name)
        _freeze(app, folder, works, report)
        _write(folder / "warm", list(chain_pages(WARM, works)))
        _write(folder / "pages", list(chain_pages(pages, works, first=WARM)))
        costs = {}
        for workers in (1, 2):
            costs[workers], found = _job(app, folder, workers)
            _tell(report, workers, pages, costs[workers])
            report.figures[f"cases, {workers} workers"] = found
    one, two = costs[1], costs[2]
    report.figures |= {"pages": pages, "works": works}
    report.limits += [
        Limit("of perfect scaling to two, by the clock", one.seconds / two.seconds / 2, least=LEAST_SHARE),
        Limit("the same by CPU a page", one.cpu[WORKERS] / two.cpu[WORKERS], least=LEAST_SHARE),
    ]
    return report


def _freeze(app: App, folder: Path, works: int, report: BenchReport) -> None:
    with Meter(app, ours=True) as meter:
        frozen = freeze_to(app, str(folder / "library"))
    report.figures |= {
        "frozen bytes a work": frozen.bytes / works,
        "CPU-ms to freeze a work": 1000 * sum(meter.cost.cpu.values()) / works,
    }


def _job(app: App, folder: Path, workers: int) -> tuple[Cost, int]:
    """What the job costs with so many workers, and how many cases it finds."""
    engine = DaskEngine(workers)
    try:
        for what in ("warm", "pages"):
            job = BulkJob(engine, str(folder / "library"), str(folder / f"{what}-{workers}"))
            with Meter(app, ours=True) as meter:
                outcome = job.pages([str(folder / what)], shards=SHARDS)
    finally:
        engine.close()
    return meter.cost, outcome.found


def _tell(report: BenchReport, workers: int, pages: int, cost: Cost) -> None:
    row: dict[str, Any] = {
        "workers": workers,
        "pages a second": pages / cost.seconds,
        "CPU-ms a page": 1000 * cost.cpu[WORKERS] / pages,
        "cores taken": cost.cpu[WORKERS] / cost.seconds,
    }
    report.rows.append(row)


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
