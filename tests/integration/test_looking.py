"""Pages that change often are looked at between two crawls of their site."""

import dataclasses
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.crawl.sink_port import Arrival
from pipeline.context import utc_now
from services.crawls.end_of_run import NO_PAGE, end
from services.crawls.job_of_site import job_for
from services.crawls.opened_access import opened_access
from services.crawls.recrawls import recrawl_job, start_recrawls
from services.crawls.runs import start_crawl
from services.crawls.storing_sink import StoringSink
from services.sites.sites import add
from store.messages import Message, plain
from store.records import Capture, CaseStatus, RunKind, Subject
from store.records.upkeep.problem import CRAWL
from store.rules.record_ids import page_id
from tests.support.acting import by
from tests.support.seed import move_case
from tests.support.way import made_page, made_text, opened, store_work, work_through
from wenhen.embedded import Addresses
from wenhen.wiring import App

RESTLESS, CALM = "http://news.test/list", "http://news.test/about"


@pytest.fixture
def app(servers: Addresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        site = add(by(product), {"urls": "http://news.test/"}, id="news")
        product.store.sites.put(dataclasses.replace(site, due=product.now() + timedelta(hours=20)))
        yield product


def see(app: App, hours: float, url: str, text: str) -> App:
    """Capture a page after so many hours."""
    later = dataclasses.replace(app, now=lambda: utc_now() + timedelta(hours=hours))
    body = made_page("题", made_text(text))
    taken = Capture(
        fetched_at=later.now(),
        url=url,
        status=200,
        headers=(),
        body_digest=sha256(body).hexdigest(),
        body_size=len(body),
    )
    StoringSink(later, "run", "news", 24).captured([Arrival(url, taken, body)])
    work_through(later)
    return later


def test_a_site_gets_a_run_for_its_restless_pages_once_and_well_before_its_next_crawl(app: App) -> None:
    see(app, 0, CALM, "calm")
    see(app, 0, RESTLESS, "one")
    now = see(app, 1, RESTLESS, "two")
    assert app.store.pages.get(page_id(RESTLESS)).interval_hours == 12
    start_recrawls(now, now.now())
    assert app.store.runs.active(RunKind.CRAWL) == [], "not due yet"

    due = now.now() + timedelta(hours=13)
    start_recrawls(app, due)
    start_recrawls(app, due + timedelta(hours=1))
    [run] = app.store.runs.active(RunKind.CRAWL)
    assert (str(run.subject), run.recrawl, run.due is not None) == ("news", True, True)
    at_due = dataclasses.replace(app, now=lambda: due)
    site = app.store.sites.get("news")
    job = recrawl_job(at_due, job_for(site, app.settings, opened_access(app, "news")), site)
    assert job.start_urls == (RESTLESS,), "the calm one waits for the crawl"
    assert job.max_depth == 1


def test_no_look_is_begun_right_before_a_crawl_nor_at_a_site_that_is_paused(app: App) -> None:
    see(app, 0, RESTLESS, "one")
    see(app, 0.1, RESTLESS, "two")
    site = app.store.sites.get("news")
    start_recrawls(app, site.due - timedelta(minutes=59))
    app.store.sites.put(dataclasses.replace(site, paused=True))
    start_recrawls(app, site.due - timedelta(hours=3))
    assert app.store.runs.active(RunKind.CRAWL) == []


def test_the_page_of_a_pursued_case_is_looked_at_daily_and_not_at_once_again_where_nobody_answers(app: App) -> None:
    store_work(app, "river", made_text("river"))
    work_through(app)
    now = see(app, 0, CALM, "river")
    [case] = app.store.cases.find()
    assert case.page_url == CALM
    tomorrow = now.now() + timedelta(hours=25)
    app.store.sites.put(dataclasses.replace(app.store.sites.get("news"), due=tomorrow + timedelta(days=6)))
    start_recrawls(app, tomorrow - timedelta(hours=2))
    assert app.store.runs.active(RunKind.CRAWL) == [], "nobody has decided yet"

    move_case(app.store, case.id, CaseStatus.CONFIRMED, by="x", reason=None, at=now.now())
    start_recrawls(app, tomorrow)
    [run] = app.store.runs.active(RunKind.CRAWL)
    at_due = dataclasses.replace(app, now=lambda: tomorrow)
    site = app.store.sites.get("news")
    assert recrawl_job(at_due, job_for(site, app.settings, opened_access(app, "news")), site).start_urls == (CALM,)
    end(at_due, run)
    start_recrawls(app, tomorrow + timedelta(hours=1))
    assert app.store.runs.active(RunKind.CRAWL) == []


def ended(app: App, missed: str, *, scheduled: bool = True) -> Message | None:
    """The problem of a crawl that missed one address and captured none."""
    run = start_crawl(app, Subject.read("news"), due=app.now() if scheduled else None)
    app.store.problems.put(CRAWL, missed, plain("404"), app.now(), kind="http_404")
    end(app, dataclasses.replace(run, counts={"failed": 1}))
    return app.store.runs.get(run.id).problem


def test_a_scheduled_crawl_with_nothing_due_is_no_failed_one_where_its_start_answered(app: App) -> None:
    dead = "http://news.test/dead"
    assert ended(app, dead) == NO_PAGE, "no page is known"
    see(app, 0, CALM, "calm")
    assert ended(app, dead) is None
    assert ended(app, dead, scheduled=False) == NO_PAGE, "somebody asked for all pages"
    assert ended(app, "http://news.test/") == NO_PAGE, "the start did not answer"
    later = dataclasses.replace(app, now=lambda: utc_now() + timedelta(days=30))
    assert ended(later, dead) == NO_PAGE, "a page was due, and did not come"
