"""Crawl, match, browse and export at once, and check memory growth, response times and backlogs."""

import random
import statistics
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final

import psutil

from benchmarks.chaos.workload import Workload, chaos_actor, start_site_crawl
from wenhen.crawls.service import active_crawls
from wenhen.kit.errors import WenhenError
from wenhen.matching.index_rebuild import build_missing_indexes
from wenhen.runtime.processes.dashboard_process import dashboard_child, wait_until_served
from wenhen.runtime.processes.supervisor import Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, throwaway_app
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

# The criteria of a soak test: memory, queues, and response times.


MAX_MEMORY_GROWTH: Final = 0.05  # share of growth after settling
MAX_P99_MILLISECONDS: Final = 500.0  # milliseconds
SETTLING_SHARE: Final = 1 / 6  # share of the time: five minutes of thirty
MIN_BACKLOG_MESSAGES: Final = 50  # messages: fewer are no backlog


@dataclass(frozen=True, slots=True)
class SoakSample:
    """A sample. memory: bytes by process name. waiting: messages by queue."""

    seconds: float
    memory: Mapping[str, int]
    waiting: Mapping[str, int]


@dataclass(slots=True)
class SoakResult:
    """All samples, and the milliseconds of all answers, also by screen."""

    samples: list[SoakSample] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    by_screen: dict[str, list[float]] = field(default_factory=dict)
    refused: int = 0  # requests without status 200
    works: int = 0
    pages: int = 0
    reports: int = 0

    @property
    def growth(self) -> Mapping[str, float]:
        """Return the growth of memory from settling to the end, as medians of a sixth of the time each."""
        settled = [sample for sample in self.samples if sample.seconds >= SETTLING_SHARE * self.samples[-1].seconds]
        first, last = _first_and_last(settled)
        names = settled[-1].memory
        return {name: _median_memory(last, name) / max(1.0, _median_memory(first, name)) - 1 for name in names}

    @property
    def p99(self) -> float:
        """Return the milliseconds of the 99th percentile of answers."""
        return statistics.quantiles(self.answers, n=100)[98] if len(self.answers) > 1 else 0.0

    def note_answer(self, screen: str, milliseconds: float) -> None:
        """Add an answer of the dashboard."""
        self.answers.append(milliseconds)
        self.by_screen.setdefault(screen, []).append(milliseconds)

    @property
    def screens(self) -> list[tuple[str, float, float]]:
        """Return median and slowest milliseconds of each screen, the slowest screen first."""
        rows = [(screen, statistics.median(times), max(times)) for screen, times in self.by_screen.items()]
        return sorted(rows, key=lambda row: -row[2])

    @property
    def backlog(self) -> Mapping[str, tuple[int, int]]:
        """Return the fewest messages of each queue in the first and the last sixth."""
        first, last = _first_and_last(self.samples)
        return {
            name: (min(sample.waiting[name] for sample in first), min(sample.waiting[name] for sample in last))
            for name in self.samples[-1].waiting
        }

    @property
    def faults(self) -> list[str]:
        """Return the violated criteria."""
        faults = [
            f"{name} grew by {share:.1%}, more than {MAX_MEMORY_GROWTH:.0%}"
            for name, share in self.growth.items()
            if share > MAX_MEMORY_GROWTH
        ]
        if self.p99 > MAX_P99_MILLISECONDS:
            faults.append(f"p99 of the dashboard is {self.p99:.0f} ms, more than {MAX_P99_MILLISECONDS:.0f}")
        if self.refused:
            faults.append(f"{self.refused} requests were not answered")
        faults += [
            f"the queue {name} grows: {first} waited at first, {last} at last"
            for name, (first, last) in self.backlog.items()
            if last > max(2 * first, MIN_BACKLOG_MESSAGES)
        ]
        return faults


def _first_and_last(samples: Sequence[SoakSample]) -> tuple[Sequence[SoakSample], Sequence[SoakSample]]:
    some = max(1, len(samples) // 6)
    return samples[:some], samples[-some:]


def _median_memory(samples: Sequence[SoakSample], name: str) -> float:
    return statistics.median(sample.memory.get(name, 0) for sample in samples)


SITE_PAGES: Final = 120  # pages of the site, and initial works
SAMPLE_SECONDS: Final = 5.0  # seconds
WORK_SECONDS: Final = 2.0  # seconds between two imported works
BROWSE_SECONDS: Final = 0.25
EXPORT_SECONDS: Final = 10.0
SCREEN_PATHS: Final = (
    "",
    "suspects/",
    "works/",
    "sites/",
    "analysis/",
    "health/",
    "reports/",
    "suspects/?fold=none&page=2",
)
REPORT_PATH: Final = "reports/cases.xlsx"
REQUEST_TIMEOUT_SECONDS: Final = 30  # seconds

Say = Callable[[str], None]


def run_soak(settings: Settings, seconds: float, say: Say) -> SoakResult:
    """Run everything for so many seconds, and return the measurements."""
    soaked, workload = SoakResult(), Workload(7, SITE_PAGES)
    with ExitStack() as stack:
        site = stack.enter_context(workload.site())
        of_soak = {
            "crawler": settings.crawler.model_copy(
                update={"host_map": site.addresses(), "delay": 0.05, "internal_delay": 0.05}
            ),
            "dashboard": settings.dashboard.model_copy(update={"sign_in": False}),
        }
        app = stack.enter_context(throwaway_app(settings.model_copy(update=of_soak)))
        build_missing_indexes(app)
        workload.bring(app)
        workload.watch(app)
        address, child = dashboard_child(app, port=0)
        children = [*worker_children(app), child]
        supervisor = stack.enter_context(Supervisor(children))
        wait_until_served(address)
        over = Event()
        duties: dict[float, Callable[[], None]] = {
            1.0: lambda: _crawl_again(app),
            WORK_SECONDS: lambda: _bring_work(app, soaked),
            BROWSE_SECONDS: lambda: _browse_screen(address, soaked),
            EXPORT_SECONDS: lambda: _export_report(address, soaked),
        }
        with _run_duties(duties, over):
            begun = time.monotonic()
            while (passed := time.monotonic() - begun) < seconds:
                soaked.samples.append(SoakSample(passed, _process_memory(supervisor), app.queue.count_waiting()))
                if len(soaked.samples) % 12 == 1:
                    say(_format_progress(soaked))
                over.wait(SAMPLE_SECONDS)
        soaked.pages = app.store.pages.count()
    return soaked


@contextmanager
def _run_duties(duties: dict[float, Callable[[], None]], over: Event) -> Iterator[None]:
    """Repeat each duty at its interval in seconds until the block ends."""

    def repeat(seconds: float, duty: Callable[[], None]) -> None:
        while not over.wait(seconds):
            with suppress(WenhenError):
                duty()

    threads = [Thread(target=repeat, args=duty, daemon=True) for duty in duties.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(REQUEST_TIMEOUT_SECONDS)


def _crawl_again(app: App) -> None:
    if not active_crawls(app):
        start_site_crawl(app)


def _bring_work(app: App, soaked: SoakResult) -> None:
    soaked.works += 1
    draft = random.Random(soaked.works).choice(Workload(8 + soaked.works // SITE_PAGES, SITE_PAGES).works())
    put_work(chaos_actor(app), WorkDraft(id=f"soak-{soaked.works % SITE_PAGES}", title=draft.title, text=draft.text))


def _browse_screen(address: str, soaked: SoakResult) -> None:
    screen = SCREEN_PATHS[len(soaked.answers) % len(SCREEN_PATHS)]
    begun = time.perf_counter()
    if _is_fetched(address + screen):
        soaked.note_answer(screen, 1000 * (time.perf_counter() - begun))
    else:
        soaked.refused += 1


def _export_report(address: str, soaked: SoakResult) -> None:
    if _is_fetched(address + REPORT_PATH):
        soaked.reports += 1
    else:
        soaked.refused += 1


def _is_fetched(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=REQUEST_TIMEOUT_SECONDS) as answer:  # noqa: S310  our own dashboard on loopback
            answer.read()
            return bool(answer.status == 200)
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


def _process_memory(supervisor: Supervisor) -> dict[str, int]:
    """Return resident bytes of each child and its descendants, without crawl processes, which come and go."""
    taken: dict[str, int] = defaultdict(int)
    for name, pid in supervisor.pids().items():
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            for measured in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    if "wenhen.runtime.processes.crawl_process" not in measured.cmdline():
                        taken[name] += measured.memory_info().rss
    return dict(taken)


def _format_progress(soaked: SoakResult) -> str:
    last = soaked.samples[-1]
    memory = ", ".join(f"{name} {size >> 20} MB" for name, size in last.memory.items())
    waiting = ", ".join(f"{name} {count}" for name, count in last.waiting.items())
    answers = f"{len(soaked.answers)} answers, p99 {soaked.p99:.0f} ms"
    return f"{last.seconds:5.0f} s  {memory}  |  waiting: {waiting}  |  {answers}"
