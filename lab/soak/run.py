"""Crawl, match, browse and export at once, for as long as asked."""

import random
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from typing import Final

import psutil

from lab.chaos.workload import Workload, acting, crawl
from lab.soak.figures import Sample, Soaked
from pipeline.library.rebuild_index import make_missing_indexes
from services.crawls.runs import active_crawls
from services.library.put_and_remove import put
from store.errors import WenhenError
from store.records import WorkDraft
from wenhen.processes.dashboard_process import dashboard_child, wait_until_served
from wenhen.processes.supervise import Supervisor
from wenhen.processes.throwaway_product import throwaway_app
from wenhen.processes.workers import worker_children
from wenhen.settings import Settings
from wenhen.wiring import App

SIZE: Final = 120  # pages of the site, and works at the beginning
EVERY: Final = 5.0  # seconds between two samples
WORKS_EVERY: Final = 2.0  # seconds between two works that come in
BROWSE_EVERY: Final = 0.25
EXPORT_EVERY: Final = 10.0
SCREENS: Final = ("", "suspects/", "works/", "sites/", "analysis/", "health/", "reports/", "suspects/?fold=none&page=2")
REPORT: Final = "reports/cases.xlsx"
PATIENCE: Final = 30  # seconds

Say = Callable[[str], None]


def soak(settings: Settings, seconds: float, say: Say) -> Soaked:
    """Do all of it for so long; what was measured."""
    soaked, workload = Soaked(), Workload(7, SIZE)
    with ExitStack() as stack:
        site = stack.enter_context(workload.site())
        of_soak = {
            "crawler": settings.crawler.model_copy(
                update={"host_map": site.addresses(), "delay": 0.05, "internal_delay": 0.05}
            ),
            "dashboard": settings.dashboard.model_copy(update={"sign_in": False}),
        }
        app = stack.enter_context(throwaway_app(settings.model_copy(update=of_soak)))
        make_missing_indexes(app)
        workload.bring(app)
        workload.watch(app)
        address, child = dashboard_child(app, port=0)
        children = [*worker_children(app), child]
        supervisor = stack.enter_context(Supervisor(children))
        wait_until_served(address)
        over = Event()
        duties: dict[float, Callable[[], None]] = {
            1.0: lambda: _crawl_again(app),
            WORKS_EVERY: lambda: _bring(app, soaked),
            BROWSE_EVERY: lambda: _browse(address, soaked),
            EXPORT_EVERY: lambda: _export(address, soaked),
        }
        with _at_once(duties, over):
            begun = time.monotonic()
            while (passed := time.monotonic() - begun) < seconds:
                soaked.samples.append(Sample(passed, _memory(supervisor), app.queue.waiting()))
                if len(soaked.samples) % 12 == 1:
                    say(_line(soaked))
                over.wait(EVERY)
        soaked.pages = app.store.pages.count()
    return soaked


@contextmanager
def _at_once(duties: dict[float, Callable[[], None]], over: Event) -> Iterator[None]:
    """Each duty again and again, every so many seconds, until the block ends."""

    def repeat(seconds: float, duty: Callable[[], None]) -> None:
        while not over.wait(seconds):
            with suppress(WenhenError):
                duty()

    threads = [Thread(target=repeat, args=one, daemon=True) for one in duties.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(PATIENCE)


def _crawl_again(app: App) -> None:
    if not active_crawls(app):
        crawl(app)


def _bring(app: App, soaked: Soaked) -> None:
    soaked.works += 1
    draft = random.Random(soaked.works).choice(Workload(8 + soaked.works // SIZE, SIZE).works())
    put(acting(app), WorkDraft(id=f"soak-{soaked.works % SIZE}", title=draft.title, text=draft.text))


def _browse(address: str, soaked: Soaked) -> None:
    screen = SCREENS[len(soaked.answers) % len(SCREENS)]
    begun = time.perf_counter()
    if _fetched(address + screen):
        soaked.answered(screen, 1000 * (time.perf_counter() - begun))
    else:
        soaked.refused += 1


def _export(address: str, soaked: Soaked) -> None:
    if _fetched(address + REPORT):
        soaked.reports += 1
    else:
        soaked.refused += 1


def _fetched(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310  our own dashboard on loopback
            answer.read()
            return bool(answer.status == 200)
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


def _memory(supervisor: Supervisor) -> dict[str, int]:
    """Resident bytes of each child with all that it started; without the processes of crawls, which come and go."""
    taken: dict[str, int] = defaultdict(int)
    for name, pid in supervisor.pids().items():
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    if "wenhen.processes.crawl_process" not in one.cmdline():
                        taken[name] += one.memory_info().rss
    return dict(taken)


def _line(soaked: Soaked) -> str:
    last = soaked.samples[-1]
    memory = ", ".join(f"{name} {size >> 20} MB" for name, size in last.memory.items())
    waiting = ", ".join(f"{name} {count}" for name, count in last.waiting.items())
    answers = f"{len(soaked.answers)} answers, p99 {soaked.p99:.0f} ms"
    return f"{last.seconds:5.0f} s  {memory}  |  waiting: {waiting}  |  {answers}"
