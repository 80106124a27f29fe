"""Whatever dies in the middle of the work, on real workers and servers: the work goes on, nothing is lost or double."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
import redis

from tests.support.crawls.watched import watch
from tests.support.way import (
    capture,
    every_record,
    made_page,
    made_text,
    opened,
    pairs,
    problems_of,
    store_work,
    wait_for,
)
from wenhen.crawls.model import Run, RunKind
from wenhen.crawls.service import active_crawls, start_crawl
from wenhen.demo.website import BLOG, NEWS, DemoServer
from wenhen.kit.progress import OwnerKind, Step, Subject
from wenhen.kit.python_process import python_command
from wenhen.matching.index_rebuild import verify_index
from wenhen.matching.rematch import count_unfinished
from wenhen.runtime.embedded.servers import ServerAddresses, read_server_states, stop_servers, throwaway_servers
from wenhen.runtime.processes.dashboard_process import server_watchdog_child
from wenhen.runtime.processes.supervisor import Child, Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.settings_sources import child_environment, load_settings
from wenhen.runtime.wiring import App, open_app

WORKS, PAGES = 60, 60
SOON = {"lease_seconds": 5, "sweep_seconds": 1, "least": 2}
PROGRAMS = {"wenhen.pipeline.isolated_program", "wenhen.runtime.processes.crawl_process"}
AT_WORK = 3  # processes: the worker whose records are done, with its two
A_MINUTE = 60

pytestmark = pytest.mark.usefixtures("nursery")


@pytest.fixture(scope="module")
def own_servers() -> Iterator[ServerAddresses]:
    """Servers that no other test uses, since they are emptied."""
    with throwaway_servers() as addresses:
        yield addresses


def fill(app: App) -> set[tuple[str, str]]:
    """Works, pages that copy half of them, and as many that copy none; the cases to be found."""
    expected = set()
    for number in range(WORKS):
        store_work(app, f"w{number}", made_text(f"work {number}"))
    for number in range(PAGES):
        url, is_copy = f"http://site.test/{number}", number % 2 == 0
        capture(app, url, made_page(f"页{number}", made_text(f"{'work' if is_copy else 'page'} {number}")))
        if is_copy:
            expected.add((url, f"w{number}"))
    return expected


def done(app: App) -> int:
    return sum(records.count_by_step().get(Step.DONE, 0) for records in (app.store.works, app.store.pages))


def is_done(app: App, records: int) -> bool:
    return done(app) >= records


def workers() -> list[psutil.Process]:
    """Every worker process that this test started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it ended by itself meanwhile
            if not PROGRAMS.isdisjoint(process.cmdline()):
                found.append(process)
    return found


def kill_all_workers() -> int:
    """SIGKILL for every worker process that this test started; how many there were."""
    killed = 0
    for process in workers():
        with suppress(psutil.Error):
            process.kill()
            killed += 1
    return killed


def matchers(app: App) -> list[Child]:
    """The workers and the clock, without those for whom nothing is there: each takes seconds to start."""
    return [child for child in worker_children(app) if child.name not in {"crawler", "pictures"}]


def said_nothing(_: str) -> None:
    """The supervisor's messages about what a test killed itself."""


def assert_nothing_lost_or_double(app: App, expected: set[tuple[str, str]]) -> None:
    assert Counter(record.progress.step for record in every_record(app)) == {Step.DONE: WORKS + PAGES}
    assert pairs(app, present=True) == expected
    cases = list(app.store.cases.each())
    assert len({case.number for case in cases}) == len(cases) == len(expected)
    for kind in OwnerKind:
        fingerprints = list(app.store.fingerprints.all(kind))
        assert len({one.owner_id for one in fingerprints}) == len(fingerprints) == 60
        assert verify_index(app, kind).missing == 0
    assert problems_of(app) == []
    assert app.store.pages.rough_count() == (PAGES, True), "also by a server that was killed"


def test_all_workers_are_killed_twice_and_everything_gets_done(own_servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(own_servers, tmp_path, worker=SOON) as app:
        expected = fill(app)
        with Supervisor(matchers(app), say=said_nothing):
            for finished in (10, 30):
                wait_for(partial(is_done, app, finished), f"{finished} records done")
                wait_for(lambda: len(workers()) >= AT_WORK, "they are there, or there again")
                assert kill_all_workers() >= AT_WORK
                assert count_unfinished(app), "they were killed in the middle"
            wait_for(lambda: not count_unfinished(app), "the rest")
        assert_nothing_lost_or_double(app, expected)


def test_with_redis_emptied_the_work_goes_on_within_a_minute(own_servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(own_servers, tmp_path) as app, redis.Redis.from_url(own_servers.redis_url) as client:
        assert (app.settings.worker.lease_seconds, app.settings.worker.sweep_seconds) == (30, 10), "the defaults"
        expected = fill(app)
        with Supervisor(matchers(app)):
            wait_for(lambda: done(app) >= 10, "ten records done")
            client.flushall()
            emptied = time.monotonic()
            left = count_unfinished(app)
            assert left > 50, "it was emptied in the middle"
            wait_for(lambda: count_unfinished(app) < left - 20, "more than was in the workers' hands", A_MINUTE)
            assert time.monotonic() - emptied < A_MINUTE
            wait_for(lambda: not count_unfinished(app), "the rest")
        assert_nothing_lost_or_double(app, expected)


def test_both_servers_are_killed_and_everything_gets_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WENHEN_MONGO_URL", raising=False)
    monkeypatch.delenv("WENHEN_REDIS_URL", raising=False)
    settings = load_settings(data=tmp_path / "data", worker=SOON)
    app = open_app(settings)
    try:
        for kind in OwnerKind:
            app.index(kind).create(postings=100_000)
            app.index(kind).publish()
        expected = fill(app)
        children = [*server_watchdog_child(settings), *matchers(app)]
        with Supervisor(children, say=said_nothing):
            wait_for(lambda: done(app) >= 10, "ten records done")
            before = {name: server.pid for name, server in read_server_states(settings.data).items()}
            for pid in before.values():
                assert pid
                os.kill(pid, signal.SIGKILL)
            wait_for(
                lambda: all(server.answers for server in read_server_states(settings.data).values()),
                "both servers again",
            )
            assert all(server.pid != before[name] for name, server in read_server_states(settings.data).items())
            wait_for(lambda: not count_unfinished(app), "the rest")
        assert_nothing_lost_or_double(app, expected)
    finally:
        app.store.close()
        stop_servers(settings.data)


@contextmanager
def crawled_though_struck(
    servers: ServerAddresses, data: Path, strike: Callable[[], object]
) -> Iterator[tuple[App, Run]]:
    """A crawl of fifteen pages that was struck after three, and came to its end."""
    with DemoServer() as web:
        crawler = {"host_map": web.addresses(), "internal_delay": 0.3}
        with opened(servers, data, worker=SOON, crawler=crawler) as app:
            watch(app, BLOG, max_pages=15, max_depth=6)
            start_crawl(app, Subject.read(BLOG))
            children = [one for one in worker_children(app, schedule=False) if one.name != "pictures"]
            with Supervisor(children, say=said_nothing):
                wait_for(lambda: app.store.pages.count() >= 3, "three pages")
                strike()
                assert app.store.pages.count() < 15, "it was struck in the middle"
                wait_for(lambda: not active_crawls(app) and not count_unfinished(app), "the end of the crawl")
            (run,) = app.store.runs.recent(kind=RunKind.CRAWL)
            assert (run.problem, run.losses) == (None, 1)
            assert app.store.pages.count_by_step() == {Step.DONE: app.store.pages.count()}
            yield app, run


def test_a_crawl_whose_process_is_killed_goes_on_where_it_was(own_servers: ServerAddresses, tmp_path: Path) -> None:
    with crawled_though_struck(own_servers, tmp_path, kill_all_workers) as (app, run):
        assert 15 <= run.counts["fetched"] <= 15 + 3, "but for what it had in hand"
        assert app.store.pages.count() >= 15


def test_a_crawl_whose_writer_is_killed_is_taken_up_and_counts_each_page_once(
    own_servers: ServerAddresses, tmp_path: Path
) -> None:
    with crawled_though_struck(own_servers, tmp_path, kill_writers) as (app, run):
        captures = sum(len(app.store.pages.captures(id)) for id in app.store.pages.ids())
        assert run.counts["fetched"] == app.store.pages.count() == 15
        assert captures <= 15 + 3, "but for what was in hand"


def kill_writers() -> None:
    """The processes beside crawlers, which bear their command."""
    crawling = [one for one in workers() if "wenhen.runtime.processes.crawl_process" in one.cmdline()]
    for one in crawling:
        if one.parent() in crawling:
            one.kill()


def test_a_crawl_whose_redis_is_emptied_counts_each_page_once(own_servers: ServerAddresses, tmp_path: Path) -> None:
    with DemoServer() as web:
        crawler = {"host_map": web.addresses(), "internal_delay": 0.05, "delay": 0.05, "concurrency": 8}
        with (
            opened(own_servers, tmp_path, crawler=crawler) as app,
            redis.Redis.from_url(own_servers.redis_url) as client,
        ):
            watch(app, NEWS, max_pages=40, max_depth=6)
            run = start_crawl(app, Subject.read(NEWS))
            command = python_command("wenhen.runtime.processes.crawl_process", run.id)
            process = subprocess.Popen(command, env=child_environment(app.settings))
            for pages in (3, 8):
                wait_for(partial(has_pages, app, pages), f"{pages} pages", 40)
                client.flushall()
            assert process.wait(timeout=600) == 0
            ended = app.store.runs.get(run.id)
            captures = sum(len(app.store.pages.captures(id)) for id in app.store.pages.ids())
            assert ended.problem is None
            assert ended.counts["fetched"] == app.store.pages.count() == captures > 10


def has_pages(app: App, pages: int) -> bool:
    return app.store.pages.count() >= pages
