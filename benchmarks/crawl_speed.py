"""Measure a crawl of a generated site beside Scrapy that only fetches."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from benchmarks.report import BenchReport, Limit
from wenhen.crawls.model import RunKind
from wenhen.kit.progress import Subject
from wenhen.kit.python_process import python_command
from wenhen.runtime.settings_sources import child_environment
from wenhen.runtime.wiring import App
from wenhen.sites.model import Site

EARLY_SHARE = 0.2  # share of pages at the first memory sample
MIN_SCRAPY_SHARE = 0.9  # share of bare Scrapy's pages a second
MAX_MEMORY_GROWTH = 1.3  # ratio of memory at the last pages to that at the early ones
POLL_SECONDS = 0.05  # seconds

Progress = Callable[[int, int], None]


def measure_crawl(app: App, pages: int = 10_000, progress: Progress | None = None) -> BenchReport:
    """Measure all crawls in this run, one after the other, each in its own process."""
    report = BenchReport("crawl")
    at_once = app.settings.crawler.concurrency
    with _serve_site(pages) as first:
        (listed, _), (followed, alone) = (_run_scrapy(first, listed_pages, at_once) for listed_pages in (pages, 0))
        _add_site(app, first, pages)
        ours = _run_crawl(app, pages, progress)
        again = _run_crawl(app, pages, progress)
    report.figures |= {
        "pages stored": app.store.pages.count(),
        "pages a second, from the start of the process": ours["pages"] / ours["seconds"],
        "pages a second, crawled again, all unchanged": again["pages"] / again["seconds"],
        "requests at a time": at_once,
        "CPU-ms a page, the crawler's own process": 1000 * ours["processor"] / ours["pages"],
        "CPU-ms a page, its writer and its readers": 1000 * ours["processor beside"] / ours["pages"],
        f"memory of all its processes at {ours['early']:,.0f} pages, MiB": ours["early memory"] / 2**20,
        f"memory of all its processes at {ours['pages']:,.0f} pages, MiB": ours["memory"] / 2**20,
    }
    report.peers |= {
        "Scrapy that follows links and does nothing else, pages a second": followed,
        "Scrapy that is told all addresses and does nothing else, pages a second": listed,
        "Scrapy that follows links and does nothing else, CPU-ms a page": alone,
    }
    report.limits += [
        Limit(
            "of the pages a second of bare Scrapy on the same links",
            ours["pages"] / ours["seconds"] / followed,
            least=MIN_SCRAPY_SHARE,
        ),
        Limit("memory at the end / early on", ours["memory"] / ours["early memory"], most=MAX_MEMORY_GROWTH),
    ]
    return report


@contextmanager
def _serve_site(pages: int) -> Iterator[str]:
    command = python_command("benchmarks.crawl_site", str(pages))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/p/"
        finally:
            server.terminate()


def _run_scrapy(first: str, pages: int, at_once: int) -> tuple[float, float]:
    """Return pages a second over the whole process, like ours, and processor milliseconds a page."""
    command = python_command("benchmarks.scrapy_baseline", first, str(pages), str(at_once))
    begun = time.perf_counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    seconds = time.perf_counter() - begun
    got, processor = map(float, output)
    return got / seconds, 1000 * processor / got


def _add_site(app: App, first: str, pages: int) -> None:
    now = app.now()
    app.store.sites.put(
        Site(
            id="bench",
            name="bench",
            start_urls=(f"{first}0",),
            hosts=("127.0.0.1",),
            interval_hours=24,
            max_pages=pages,
            max_depth=50,
            internal=True,
            added_at=now,
            due=now,
        )
    )


def _run_crawl(app: App, pages: int, progress: Progress | None) -> dict[str, float]:
    """Return the costs of a run of the product, with WARC files."""
    run = app.store.runs.start(RunKind.CRAWL, Subject.read("bench"), app.now())
    environment = {**child_environment(app.settings), "WENHEN_CRAWLER_WARC": str(app.settings.data / "warc")}
    costs = dict.fromkeys(("early", "early memory", "memory", "pages"), 0.0)
    seconds: dict[int, float] = {}  # of processor time, by process: readers come and go
    begun = time.perf_counter()
    with psutil.Popen(python_command("wenhen.runtime.processes.crawl_process", run.id), env=environment) as process:
        while process.poll() is None:
            fetched = app.store.runs.get(run.id).counts.get("fetched", 0)
            _sample_processes(process, costs, seconds)
            if not costs["early"] and fetched >= EARLY_SHARE * pages:
                costs |= {"early": fetched, "early memory": costs["memory"]}
            if progress:
                progress(fetched, pages)
            time.sleep(POLL_SECONDS)
        costs["processor"] = seconds.pop(process.pid)
    costs["processor beside"] = sum(seconds.values())
    costs["seconds"] = time.perf_counter() - begun
    costs["pages"] = app.store.runs.get(run.id).counts["fetched"]
    if not costs["early"]:  # a short crawl may end between two samples
        costs |= {"early": costs["pages"], "early memory": costs["memory"]}
    return costs


def _sample_processes(process: psutil.Popen, costs: dict[str, float], seconds: dict[int, float]) -> None:
    """Record the memory of all processes of the crawl, and the processor time of each."""
    with suppress(psutil.Error):
        memory = 0
        for measured in (process, *process.children()):
            taken = measured.cpu_times()
            memory += measured.memory_info().rss
            seconds[measured.pid] = taken.user + taken.system
        costs["memory"] = max(costs["memory"], float(memory))  # some processes end before the crawl
