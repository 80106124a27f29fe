"""A night with the clock turned forward: what was started when, with two clocks, an outage, pauses and quiet hours."""

import dataclasses
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.way import made_text, opened, store_work, work_through
from wenhen.crawls.model import RunKind, RunState
from wenhen.crawls.service import end_run, request_pause, request_resume
from wenhen.kit.clock import CHINA
from wenhen.kit.progress import Subject
from wenhen.pipeline.daily_schedule import run_schedule
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.model import Site

EVENING = datetime(2026, 3, 2, 18, 0, tzinfo=CHINA)
MINUTE = timedelta(minutes=1)
STEP = 5 * MINUTE


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        store_work(product, "river", made_text("river"))
        work_through(product)
        yield product


def watch(app: App, id: str, first: str, **values: Any) -> None:
    """A site whose first crawl is due at this time of the evening."""
    hour, minute = map(int, first.split(":"))
    app.store.sites.put(
        Site(
            **{
                "id": id,
                "name": id,
                "start_urls": (f"http://{id}.test/",),
                "hosts": (f"{id}.test",),
                "interval_hours": 24,
                "max_pages": 10,
                "max_depth": 1,
                "added_at": EVENING,
                "due": EVENING.replace(hour=hour, minute=minute),
                **values,
            }
        )
    )


class Night:
    """The product, its clock, and crawls that take as long as they are said to."""

    def __init__(self, app: App, **minutes: int) -> None:
        self.app = app
        self.now = EVENING
        self.minutes = minutes

    def until(self, time: str, *, running: bool = True) -> None:
        """Go on to this time of day; while it is not `running`, nothing happens."""
        hour, minute = map(int, time.split(":"))
        while (self.now.hour, self.now.minute) != (hour, minute):
            self.now += STEP
            if running:
                for clock in (self.at(self.now), self.at(self.now + timedelta(seconds=3))):
                    run_schedule(clock)
                self.crawl()

    def at(self, moment: datetime) -> App:
        return dataclasses.replace(self.app, now=lambda: moment)

    def crawl(self) -> None:
        """What crawlers would do in the meantime."""
        now = self.at(self.now)
        for run in self.app.store.runs.active(RunKind.CRAWL):
            if run.state is RunState.WAITING:
                self.app.store.runs.move(run.id, {run.state}, RunState.GOING, self.now)
            elif run.state is RunState.PAUSING:
                self.app.store.runs.move(run.id, {run.state}, RunState.PAUSED, self.now)
            if (
                run.state is RunState.GOING
                and self.now - run.started_at >= self.minutes.get(str(run.subject), 5) * MINUTE
            ):
                end_run(now, run)

    def begun(self, subject: str) -> list[str]:
        """When a site's crawls were started, to the minute."""
        runs = self.app.store.runs.recent(kind=RunKind.CRAWL, subject=Subject.read(subject), limit=100)
        return [f"{run.started_at.astimezone(CHINA):%H:%M}" for run in reversed(runs)]


def test_a_night_with_an_outage_and_a_pause(app: App) -> None:
    watch(app, "hourly", "18:20", interval_hours=1)
    watch(app, "nightly", "23:30", cron="30 23 * * *")
    watch(app, "late", "19:15", cron="15,45 1-2 * * *")
    watch(app, "slow", "18:30", interval_hours=2)
    watch(app, "paused", "18:10", interval_hours=3)
    night = Night(app, slow=150)
    night.until("20:00")
    app.store.sites.change("paused", {"paused": True})
    night.until("01:00")
    night.until("04:10", running=False)
    night.until("06:00")
    assert night.begun("hourly") == [*(f"{hour}:20" for hour in range(18, 24)), "00:20", "04:15", "05:20"]
    assert night.begun("nightly") == ["23:30"]
    assert night.begun("late") == ["19:15", "04:15"], "of four that were missed, one is made up for"
    assert night.begun("slow") == ["18:30", "22:30", "04:15"], "what falls into its own crawl is left out"
    assert night.begun("paused") == ["18:10"]
    (rematch,) = app.store.runs.recent(kind=RunKind.REMATCH)
    assert f"{rematch.started_at.astimezone(CHINA):%d. %H:%M}" == "03. 04:15", "the daily run of 02:30, made up for"
    starts = [
        (run.subject, run.started_at, run.ended_at) for run in app.store.runs.recent(kind=RunKind.CRAWL, limit=99)
    ]
    for subject, started, ended in starts:
        others = [one for one in starts if one[0] == subject and one[1] != started]
        assert all(before <= started or ended is None or before >= ended for _, before, _ in others)


def test_a_schedule_is_changed_while_the_night_goes_on(app: App) -> None:
    watch(app, "site", "19:00", interval_hours=1)
    night = Night(app)
    night.until("20:30")
    app.store.sites.change("site", {"cron": "40 * * * *", "due": EVENING.replace(hour=20, minute=40)})
    night.until("23:00")
    assert night.begun("site") == ["19:00", "20:00", "20:40", "21:40", "22:40"]


def test_a_run_that_somebody_paused_waits_and_the_site_is_not_crawled_beside_it(app: App) -> None:
    watch(app, "site", "19:00", interval_hours=1)
    night = Night(app, site=30)
    night.until("19:10")
    (run,) = app.store.runs.active(RunKind.CRAWL)
    request_pause(night.at(night.now), run.id)
    night.until("22:10")
    assert night.begun("site") == ["19:00"]
    request_resume(night.at(night.now), run.id)
    night.until("23:10")
    assert app.store.runs.get(run.id).ended_at is not None
    assert night.begun("site") == ["19:00", "23:00"]


def test_a_run_rests_until_its_quiet_hours_are_over(app: App) -> None:
    watch(app, "site", "21:00")
    night = Night(app)
    night.until("21:00")
    (run,) = app.store.runs.active(RunKind.CRAWL)
    till = night.now + timedelta(hours=8)
    app.store.runs.move(run.id, {RunState.GOING}, RunState.RESTING, night.now, resume_at=till)
    night.until("04:55")
    assert app.store.runs.get(run.id).state is RunState.RESTING
    night.until("05:00")
    assert app.store.runs.get(run.id).state is RunState.GOING
