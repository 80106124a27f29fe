"""What happens by the clock: crawls that are due, and the daily run, once each, and again where they were cut short."""

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.way import made_text, opened, store_work, work_through
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import active_crawls
from wenhen.kit.errors import PLAIN_CODE, Unavailable
from wenhen.operations.health import check_health
from wenhen.pipeline import daily_schedule
from wenhen.pipeline.daily_schedule import run_schedule
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.model import Site
from wenhen.steps.fair_queue import CRAWL_QUEUE, UPKEEP_QUEUE

NOON = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)  # in Shanghai
HOUR = timedelta(hours=1)


def at(app: App, moment: datetime) -> App:
    return dataclasses.replace(app, now=lambda: moment)


def watch(app: App, id: str, due: datetime) -> None:
    app.store.sites.put(
        Site(
            id=id,
            name=id,
            start_urls=(f"http://{id}/",),
            hosts=(id,),
            interval_hours=24,
            max_pages=10,
            max_depth=1,
            added_at=NOON,
            due=due,
        )
    )


def test_a_site_is_crawled_when_it_is_due_and_its_missed_crawls_are_made_up_for_once(app: App) -> None:
    watch(app, "due.test", NOON - 100 * HOUR)
    watch(app, "later.test", NOON + HOUR)
    run_schedule(at(app, NOON))
    assert [str(run.subject) for run in active_crawls(app)] == ["due.test"]
    assert app.queue.count_waiting()[CRAWL_QUEUE] == 1
    due = {site.id: site.due for site in app.store.sites.all()}
    assert due["due.test"] > NOON
    run_schedule(at(app, NOON + timedelta(minutes=1)))
    assert app.queue.count_waiting()[CRAWL_QUEUE] == 1


def test_a_site_that_is_still_being_crawled_is_not_crawled_twice_at_a_time(app: App) -> None:
    watch(app, "slow.test", NOON)
    run_schedule(at(app, NOON))
    run_schedule(at(app, NOON + 25 * HOUR))
    assert len(active_crawls(app)) == 1


def test_the_schedule_of_crawls_can_be_switched_off(servers: ServerAddresses, tmp_path: Path) -> None:
    with opened(servers, tmp_path, schedule={"crawls": False}) as app:
        watch(app, "due.test", NOON - HOUR)
        run_schedule(at(app, NOON))
        assert active_crawls(app) == []


def rematches(app: App) -> int:
    return len(app.store.runs.recent(kind=RunKind.REMATCH))


def test_the_daily_run_comes_once_a_day_and_not_for_the_night_before_the_installation(app: App) -> None:
    store_work(app, "river", made_text("river"))
    work_through(app)
    run_schedule(at(app, NOON))
    assert rematches(app) == 0
    for hours in (15, 16, 24):  # 02:30 in Shanghai is 14.5 hours after noon
        run_schedule(at(app, NOON + hours * HOUR))
        assert rematches(app) == 1
    run_schedule(at(app, NOON + 39 * HOUR))
    assert rematches(app) == 2


def test_a_duty_that_fails_keeps_up_no_other_and_only_it_is_done_again(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_schedule(at(app, NOON))

    def fails(_: App) -> None:
        raise Unavailable(PLAIN_CODE, text="no template can be read")

    with monkeypatch.context() as cut:
        cut.setattr(daily_schedule, "forget_templates", fails)
        for minutes in (0, 11):
            with pytest.raises(Unavailable):
                run_schedule(at(app, NOON + 15 * HOUR + timedelta(minutes=minutes)))
    assert rematches(app) == 1, "what comes behind it was done, once"
    told = check_health(app)["daily duties"]
    assert not told.answers
    assert "forget old templates" in told.detail
    assert "no template can be read" in told.detail
    run_schedule(at(app, NOON + 15 * HOUR + timedelta(minutes=22)))
    assert rematches(app) == 1
    assert check_health(app)["daily duties"].detail == "all of 2026-03-03 are done"
    run_schedule(at(app, NOON + 39 * HOUR))
    assert rematches(app) == 2


def test_a_daily_run_that_was_cut_short_is_begun_again(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    run_schedule(at(app, NOON))

    def away() -> None:
        raise Unavailable(PLAIN_CODE, text="the queues' Redis is away")

    with monkeypatch.context() as cut:
        cut.setattr(app.queue, "tidy", away)
        with pytest.raises(Unavailable):
            run_schedule(at(app, NOON + 15 * HOUR))
    waiting = app.queue.count_waiting()[UPKEEP_QUEUE]
    run_schedule(at(app, NOON + 15 * HOUR + timedelta(minutes=5)))
    assert app.queue.count_waiting()[UPKEEP_QUEUE] == waiting, "somebody may still be at it"
    run_schedule(at(app, NOON + 15 * HOUR + timedelta(minutes=11)))
    assert app.queue.count_waiting()[UPKEEP_QUEUE] == waiting + 1
