"""A run is paused, resumed, stopped and cut short while its crawlers fetch, in processes of their own."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import psutil
import pytest
import redis

from crawler.frontier.scheduler import MAX_ENTRIES_PER_REQUEST
from tests.support.acting import by
from tests.support.commands.children import children_with
from tests.support.crawls.crawlers import crawler
from tests.support.crawls.serving import Handler, serving
from tests.support.way import QUEUES, made_text, opened, wait_for
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.crawls.service import (
    DIED_MESSAGE,
    LOST_AFTER,
    NO_PAGE_MESSAGE,
    recover_lost_runs,
    remove_site,
    request_pause,
    request_resume,
    request_stop,
    start_crawl,
)
from wenhen.crawls.sink import TURN_LENGTH, SteeredStoringSink
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import Conflict
from wenhen.kit.progress import Subject
from wenhen.pipeline import crawl_runner
from wenhen.pipeline.crawl_runner import run_crawl, watch_crawler
from wenhen.runtime.celery_app import make_celery
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.processes.crawl_process import _settle_run
from wenhen.runtime.settings_sources import child_environment
from wenhen.runtime.wiring import App, open_frontier
from wenhen.settings.servers_and_logs import broker_url
from wenhen.sites.model import Site

pytestmark = pytest.mark.usefixtures("nursery")

SITE = "steered.test"
PAGES = 60
AT_ONCE = 2  # requests
SLOWLY = 0.3  # seconds for a page until the test has steered, so that a busy machine does it in time
QUICKLY = 0.02  # and afterwards
FOR_LONG = 60.0


class Book(Handler):
    """Chapters that a list names; each takes its time."""

    pause: ClassVar[float] = SLOWLY

    def page(self) -> None:
        number = self.path.strip("/")
        if number == "robots.txt":
            self.reply("", status=404)
        elif not number:
            self.reply("".join(f"<a href=/{n}>{n}</a>" for n in range(1, PAGES)) + made_text("list", 40))
        else:
            time.sleep(Book.pause)
            self.reply(f"<html><body><p>{made_text(number, 60)}</p></body></html>")


def watched(app: App) -> Site:
    return Site(
        id=SITE,
        name=SITE,
        start_urls=(f"http://{SITE}/",),
        hosts=(SITE,),
        interval_hours=24,
        max_pages=100,
        max_depth=3,
        added_at=app.now(),
        due=app.now(),
        concurrency=AT_ONCE,
    )


@contextmanager
def product(servers: ServerAddresses, tmp_path: Path, *, crawlers: int = 1) -> Iterator[App]:
    Book.pause = SLOWLY
    with serving(Book) as address:
        settings = {"host_map": {SITE: address}, "crawlers": crawlers}
        with opened(servers, tmp_path, crawler=settings) as app:
            app.store.sites.put(watched(app))
            yield app


def fetched(app: App) -> int:
    return app.store.pages.count()


def state(app: App, run: Run) -> RunState:
    return app.store.runs.get(run.id).state


def children_that_crawl() -> list[psutil.Process]:
    """Without the writers beside them, which bear their command."""
    crawling = children_with("wenhen.runtime.processes.crawl_process")
    return [one for one in crawling if one.parent() not in crawling]


def test_a_crawler_that_hangs_when_its_run_is_stopped_is_killed(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_runner, "MAX_STOP_SECONDS", 0.5)
    monkeypatch.setattr(crawl_runner, "WATCH_SECONDS", 0.1)
    with product(servers, tmp_path) as app, ThreadPoolExecutor(1) as worker:
        for name, value in child_environment(app.settings).items():
            monkeypatch.setenv(name, value)
        run = start_crawl(app, Subject.read(SITE))
        ended = worker.submit(run_crawl, app, run.id)
        wait_for(lambda: fetched(app) > 2, "some pages")
        [crawling] = children_that_crawl()
        crawling.suspend()  # as one that computes without end: it hears of nothing
        request_stop(app, run.id)
        ended.result(60)
        assert not crawling.is_running()
        stopped = app.store.runs.get(run.id)
        assert (stopped.ended_at is not None, stopped.problem) == (True, None)
        # A page whose writer was done as it was suspended is stored, and not counted.
        assert stopped.counts["fetched"] <= fetched(app) <= stopped.counts["fetched"] + AT_ONCE


def each_once() -> bool:
    return all(Book.seen[f"/{number}"] == 1 for number in range(1, PAGES))


def test_a_run_is_paused_within_seconds_and_goes_on_where_it_was(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as first:
            wait_for(lambda: fetched(app) > 5, "some pages")
            request_pause(app, run.id)
            with pytest.raises(Conflict, match="pausing"):
                request_pause(app, run.id)
            assert first.wait(30) == 0
        Book.pause = QUICKLY
        assert state(app, run) is RunState.PAUSED
        stored = fetched(app)
        assert stored < PAGES
        paused = app.store.runs.get(run.id)
        assert paused.counts["fetched"] == paused.counts["new"] == stored
        assert paused.counts["waiting"] == PAGES - stored
        with pytest.raises(Conflict, match="is being crawled"):
            start_crawl(app, Subject.read(SITE))
        request_resume(app, run.id)
        assert crawler(app, run).wait(60) == 0
        ended = app.store.runs.get(run.id)
        assert (ended.ended_at is not None, ended.problem, ended.counts["fetched"]) == (True, None, PAGES)
        assert "waiting" not in ended.counts
        assert each_once()


def test_a_stopped_run_ends_within_seconds_even_where_a_server_hangs_and_keeps_what_is_stored(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as first:
            wait_for(lambda: fetched(app) > 5, "some pages")
            Book.pause = FOR_LONG
            asked = Book.seen.total()
            wait_for(lambda: Book.seen.total() > asked, "a page that is waited for")
            request_stop(app, run.id)
            assert first.wait(FOR_LONG / 2) == 0
        ended = app.store.runs.get(run.id)
        assert (ended.ended_at is not None, ended.state, ended.problem) == (True, RunState.STOPPING, None)
        assert ended.counts["fetched"] == fetched(app) > 5
        with redis.Redis.from_url(f"{servers.redis_url}?db={QUEUES}") as client:
            assert [key for key in client.scan_iter("wenhen:crawl:*") if not key.endswith(b":about")] == []
        assert start_crawl(app, Subject.read(SITE))


def test_the_crawl_of_a_site_that_is_removed_ends_within_seconds(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as first:
            wait_for(lambda: fetched(app) > 5, "some pages")
            remove_site(by(app), SITE)
            assert first.wait(30) == 0
        assert 5 < fetched(app) < PAGES
        assert app.store.runs.get(run.id).ended_at is not None
        app.store.sites.put(watched(app))
        start_crawl(app, Subject.read(SITE))  # nothing of before is in its way
        waiting = app.store.runs.active(RunKind.CRAWL)
        remove_site(by(app), SITE)
        assert [app.store.runs.get(one.id).ended_at is not None for one in waiting] == [True]


def test_a_crawl_to_which_no_page_came_has_a_problem_unless_somebody_stopped_it(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path) as app:
        app.store.sites.change(SITE, {"start_urls": (f"http://{SITE}/robots.txt",)})
        run = start_crawl(app, Subject.read(SITE))
        assert crawler(app, run).wait(60) == 0
        ended = app.store.runs.get(run.id)
        assert (ended.counts["fetched"], ended.counts["failed"]) == (0, 1)
        assert ended.problem == NO_PAGE_MESSAGE
        stopped = start_crawl(app, Subject.read(SITE))
        request_stop(app, stopped.id)
        assert app.store.runs.get(stopped.id).problem is None


def test_a_running_crawl_goes_on_as_its_site_was_changed(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as first:
            wait_for(lambda: fetched(app) > 5, "some pages")
            app.store.sites.change(SITE, {"exclude": (r"re:/[1-5]\d$",)})
            assert first.wait(30) == 0
        before = fetched(app)
        assert state(app, run) is RunState.WAITING
        Book.pause = QUICKLY
        assert crawler(app, run).wait(60) == 0
        ended = app.store.runs.get(run.id)
        assert (ended.ended_at is not None, ended.problem) == (True, None)
        assert fetched(app) < before + 10, "what waited and is excluded was left out"
        assert ended.counts["fetched"] + ended.counts["refused_not_wanted"] == PAGES
        assert app.store.problems.recent() == []


def test_as_many_crawlers_as_may_share_a_run_and_its_counts_are_those_of_all(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path, crawlers=2) as app:
        Book.pause = QUICKLY
        run = start_crawl(app, Subject.read(SITE))
        assert app.queue.count_waiting()["crawl"] == 2
        crawlers = [crawler(app, run) for _ in range(3)]
        assert [one.wait(90) for one in crawlers] == [0, 0, 0]
        ended = app.store.runs.get(run.id)
        assert (ended.ended_at is not None, ended.problem, ended.losses) == (True, None, 0)
        assert ended.counts["fetched"] == ended.counts["new"] == fetched(app) == PAGES
        assert each_once()


def test_a_run_that_no_crawler_has_is_paused_and_stopped_at_once(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        request_pause(app, run.id)
        assert state(app, run) is RunState.PAUSED
        with crawler(app, run) as none:
            assert none.wait(30) == 0
        assert fetched(app) == 0
        request_stop(app, run.id)
        assert app.store.runs.get(run.id).ended_at is not None
        with pytest.raises(Conflict, match="has ended"):
            request_resume(app, run.id)


def test_in_quiet_hours_a_run_rests_and_nothing_is_fetched(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as first:
            wait_for(lambda: fetched(app) > 5, "some pages")
            hour = app.now().astimezone(CHINA).hour
            app.store.sites.change(SITE, {"quiet": f"{(hour - 1) % 24:02}:00-{(hour + 2) % 24:02}:00"})
            first.send_signal(15)  # a crawler knows the site as it was when it began
            assert first.wait(30) == 0
        stored = fetched(app)
        assert state(app, run) in (RunState.WAITING, RunState.RESTING)
        with crawler(app, run) as second:
            assert second.wait(30) == 0
        resting = app.store.runs.get(run.id)
        assert resting.state is RunState.RESTING
        assert resting.resume_at is not None
        assert resting.resume_at > app.now()
        assert fetched(app) == stored < PAGES


def test_a_run_whose_redis_is_emptied_is_walked_again_without_fetching_a_page_twice(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path) as app, redis.Redis.from_url(f"{servers.redis_url}?db={QUEUES}") as client:
        run = start_crawl(app, Subject.read(SITE))
        with crawler(app, run) as only:
            wait_for(lambda: fetched(app) > 10, "some pages")
            client.flushdb()
            Book.pause = QUICKLY
            assert only.wait(60) == 0
        ended = app.store.runs.get(run.id)
        assert (ended.ended_at is not None, ended.problem) == (True, None)
        assert fetched(app) == PAGES
        twice = Counter(
            {path: times for path, times in Book.seen.items() if times > 1 and path not in ("/", "/robots.txt")}
        )
        assert len(twice) <= MAX_ENTRIES_PER_REQUEST * 2, "at most what was in hand"
        # The count of what was being stored just then may come after it was found to be stored.
        assert PAGES <= ended.counts["fetched"] <= PAGES + len(twice) + AT_ONCE


def test_a_run_whose_crawlers_died_goes_on_and_is_given_up_when_they_always_die(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        for losses in range(1, 4):
            app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, run.started_at.replace(year=2020))
            assert recover_lost_runs(app) == 1
            assert app.store.runs.get(run.id).losses == losses
        assert app.store.runs.get(run.id).problem == DIED_MESSAGE
        assert app.store.runs.active(RunKind.CRAWL) == []


def test_of_two_sweeps_at_once_one_sees_to_a_run_whose_crawlers_died(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, run.started_at.replace(year=2020))
        active = app.store.runs.active

        def seen_by_both(kind: RunKind) -> list[Run]:
            monkeypatch.undo()
            found = active(kind)
            assert recover_lost_runs(app) == 1
            return found

        monkeypatch.setattr(app.store.runs, "active", seen_by_both)
        assert recover_lost_runs(app) == 0
        assert app.store.runs.get(run.id).losses == 1


def test_no_other_crawler_is_called_for_one_that_takes_long_to_start(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_runner, "WATCH_SECONDS", 0.1)
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        queues(app).flushdb()
        later = replace(app, now=lambda: run.started_at + 2 * LOST_AFTER)
        assert recover_lost_runs(later) == 1, "nobody starts"
        queues(app).flushdb()
        app.store.runs.move(run.id, {RunState.WAITING}, RunState.WAITING, run.started_at)
        with subprocess.Popen(["sleep", "1"]) as slow:
            watch_crawler(later, run.id, slow)
        assert recover_lost_runs(later) == 0
        assert app.queue.count_waiting()["crawl"] == 0


def test_a_run_whose_call_was_lost_is_called_for_again_though_other_runs_always_wait(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        later = replace(app, now=lambda: app.now() + 2 * LOST_AFTER)
        assert recover_lost_runs(later) == 0, "its call waits"
        queues(app).flushdb()
        app.store.runs.move(run.id, {RunState.WAITING}, RunState.WAITING, app.now() - 2 * LOST_AFTER)
        app.queue.crawl("another")
        assert recover_lost_runs(app) == 1, "what waits was sent long after it"
        assert app.queue.count_waiting()["crawl"] == 1 + app.settings.crawler.crawlers


def test_a_crawler_gives_way_after_its_turn_where_another_run_waits(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        run = start_crawl(app, Subject.read(SITE))
        app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, app.now())
        clock = iter([app.now(), *[app.now() + TURN_LENGTH + timedelta(seconds=1)] * 9])
        sink = SteeredStoringSink(replace(app, now=lambda: next(clock)), run, watched(app), ())
        queues(app).flushdb()
        assert not sink.should_leave_off(), "nobody waits"
        other = start_crawl(app, Subject.read("http://other.test/"))
        assert sink.should_leave_off()
        frontier = open_frontier(app.settings, run)
        _settle_run(app, run.id, watched(app), frontier, alone=True, gave_way=sink.gives_way)
        assert state(app, run) is RunState.WAITING
        assert next_of_the_queue(app) == other.id
        assert next_of_the_queue(app) == run.id


def test_what_people_start_is_crawled_before_what_the_schedule_does(servers: ServerAddresses, tmp_path: Path) -> None:
    with product(servers, tmp_path) as app:
        scheduled = start_crawl(app, Subject.read(SITE), due=app.now())
        asked_for = start_crawl(app, Subject.read("http://other.test/"))
        assert app.queue.count_waiting()["crawl"] == 2
        assert app.queue.oldest()["crawl"] <= app.now()
        assert [next_of_the_queue(app), next_of_the_queue(app)] == [asked_for.id, scheduled.id]


def queues(app: App) -> redis.Redis:
    assert app.settings.redis.url
    return redis.Redis.from_url(app.settings.redis.url)


def next_of_the_queue(app: App) -> str:
    """The run of the message that the next free worker gets."""
    assert app.settings.redis.url
    with make_celery(broker_url(app.settings.redis.url)).connection_for_read() as reading:
        message = reading.default_channel.basic_get("crawl", no_ack=True)
    return str(message.payload[0][0])
