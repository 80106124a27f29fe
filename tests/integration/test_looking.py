"""Pages that change often are looked at between two crawls of their site."""

import dataclasses
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.capture import Capture
from crawler.ports import Arrival
from tests.support.acting import by
from tests.support.seed import move_case
from tests.support.way import made_page, made_text, opened, store_work, work_through
from wenhen.cases.model import CaseStatus
from wenhen.crawls.job import make_crawl_job
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import NO_PAGE_MESSAGE, end_run, recrawl_job, start_crawl, start_recrawls
from wenhen.crawls.sink import StoringSink
from wenhen.kit.clock import utc_now
from wenhen.kit.errors import Message, plain_message
from wenhen.kit.progress import Subject, page_id
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.sites.access import open_access
from wenhen.sites.service import add_site
from wenhen.steps.problems import CRAWL

RESTLESS, CALM = "http://news.test/list", "http://news.test/about"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        site = add_site(by(product), {"urls": "http://news.test/"}, id="news")
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
    StoringSink(later, "run", "news", 24).store_captures([Arrival(url, taken, body)])
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
    job = recrawl_job(at_due, make_crawl_job(site, app.settings, open_access(app, "news")), site)
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
    assert recrawl_job(at_due, make_crawl_job(site, app.settings, open_access(app, "news")), site).start_urls == (CALM,)
    end_run(at_due, run)
    start_recrawls(app, tomorrow + timedelta(hours=1))
    assert app.store.runs.active(RunKind.CRAWL) == []


def ended(app: App, missed: str, *, scheduled: bool = True) -> Message | None:
    """The problem of a crawl that missed one address and captured none."""
    run = start_crawl(app, Subject.read("news"), due=app.now() if scheduled else None)
    app.store.problems.put(CRAWL, missed, plain_message("404"), app.now(), kind="http_404")
    end_run(app, dataclasses.replace(run, counts={"failed": 1}))
    return app.store.runs.get(run.id).problem


def test_a_scheduled_crawl_with_nothing_due_is_no_failed_one_where_its_start_answered(app: App) -> None:
    dead = "http://news.test/dead"
    assert ended(app, dead) == NO_PAGE_MESSAGE, "no page is known"
    see(app, 0, CALM, "calm")
    assert ended(app, dead) is None
    assert ended(app, dead, scheduled=False) == NO_PAGE_MESSAGE, "somebody asked for all pages"
    assert ended(app, "http://news.test/") == NO_PAGE_MESSAGE, "the start did not answer"
    later = dataclasses.replace(app, now=lambda: utc_now() + timedelta(days=30))
    assert ended(later, dead) == NO_PAGE_MESSAGE, "a page was due, and did not come"
