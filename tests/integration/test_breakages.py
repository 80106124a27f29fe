"""A crawl that broke tells somebody: login walls, captchas, refusals, lost texts and changed templates."""

import dataclasses
from datetime import timedelta

import pytest

from crawler.ports import CrawlCounts
from tests.support.acting import by
from tests.support.way import capture, made_page, made_text, work_through
from wenhen.alerts.alert_rules import create_alert_rule
from wenhen.alerts.model import AlertEvent
from wenhen.alerts.notifications import create_notifications, format_letter
from wenhen.cases.filters import Filter
from wenhen.crawls.breakages import EXTRACTION_TIME, broken_sites, note_lost_texts
from wenhen.crawls.model import BreakKind, Run
from wenhen.crawls.service import end_run, start_crawl
from wenhen.crawls.sink import StoringSink
from wenhen.kit.errors import Message
from wenhen.kit.progress import Subject
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site

SITE = "a.test"
PAGES = [f"http://{SITE}/{number}" for number in range(4)]


@pytest.fixture
def known(app: App) -> App:
    """A watched site whose pages had a text yesterday; the product of today."""
    add_site(by(app), {"urls": f"http://{SITE}/"})
    for url in PAGES:
        capture(app, url, made_page(url, made_text(url)), SITE)
    work_through(app)
    today = app.now() + timedelta(days=1)
    return dataclasses.replace(app, now=lambda: today)


def broke(app: App, reason: Message, kind: str, urls: list[str], fetched: int = 9) -> Run:
    """A crawl in which these addresses gave no page."""
    run = start_crawl(app, Subject.read(SITE))
    sink = StoringSink(app, run.id, SITE)
    for url in urls:
        sink.report_refused(url, reason, kind)
    sink.progress(CrawlCounts(fetched, {kind: len(urls)}))
    later = dataclasses.replace(app, now=lambda: app.now() + timedelta(minutes=5))
    end_run(later, app.store.runs.get(run.id))
    return app.store.runs.get(run.id)


LOGIN = Message("soft_block.login", {"sign": "请登录后查看"})


@pytest.mark.parametrize(
    ("reason", "kind", "what"),
    [
        (LOGIN, "soft_block", BreakKind.LOGIN),
        (Message("fetch.with_status", {"block": LOGIN, "status": 403}), "soft_block", BreakKind.LOGIN),
        (Message("soft_block.captcha", {"sign": "安全验证"}), "soft_block", BreakKind.CAPTCHA),
        (Message("soft_block.firewall", {"sign": "访问被拒绝"}), "soft_block", BreakKind.REFUSED),
        (Message("fetch.robots"), "http_403", BreakKind.REFUSED),
    ],
)
def test_pages_that_had_a_text_and_are_shut_now_break_the_crawl(
    known: App, reason: Message, kind: str, what: BreakKind
) -> None:
    [found] = broke(known, reason, kind, PAGES).breakages
    assert (found.kind, found.count, found.url in PAGES, found.page_id is not None) == (what, 4, True, True)
    assert found.good_at is not None
    assert found.good_at < known.now()


def test_pages_of_which_nothing_was_known_break_nothing(known: App) -> None:
    strange = [f"http://{SITE}/new/{number}" for number in range(9)]
    assert broke(known, LOGIN, "soft_block", strange).breakages == ()
    assert broke(known, LOGIN, "soft_block", PAGES[:2]).breakages == (), "two pages may be their own matter"
    assert broke(known, LOGIN, "soft_block", PAGES[:1], fetched=0).breakages != (), "unless nothing else came"
    assert broke(known, Message("fetch.robots"), "robots", PAGES).breakages == ()


def test_texts_that_are_lost_are_noted_when_the_pages_have_been_read(known: App) -> None:
    run = start_crawl(known, Subject.read(SITE))
    later = dataclasses.replace(known, now=lambda: known.now() + timedelta(minutes=5))
    for url in PAGES:
        capture(later, url, b"<html><body><div id=app></div></body></html>", SITE)
    end_run(later, known.store.runs.get(run.id))
    assert known.store.runs.get(run.id).breakages == ()
    work_through(later)
    for _ in range(2):
        note_lost_texts(later)
    [found] = known.store.runs.get(run.id).breakages
    assert (found.kind, found.count) == (BreakKind.NO_TEXT, 4)
    assert found.good_at is not None
    assert found.good_at < known.now()


def test_a_rule_tells_it_once_with_the_last_good_capture(known: App) -> None:
    create_alert_rule(by(known), "站点", Filter(), [AlertEvent.BROKEN])
    create_alert_rule(by(known), "案件", Filter(), [AlertEvent.NEW])
    broke(known, LOGIN, "soft_block", PAGES)
    later = dataclasses.replace(known, now=lambda: known.now() + timedelta(minutes=10))
    for _ in range(2):
        create_notifications(later)
    [told] = known.store.alerts.of_user(by(known).who)
    assert (told.event, told.page_host, told.case_number) == (AlertEvent.BROKEN, SITE, 0)
    assert str(told.reason) == "4 pages that had a text ask for a login"
    [rule] = [rule for rule in known.store.alerts.rules() if rule.name == "站点"]
    title, body = format_letter(rule, [told])
    assert "站点" in title
    assert "a.test 抓取出了问题：4 个原有正文的网页要求登录 (http://a.test/" in body
    after = dataclasses.replace(known, now=lambda: known.now() + EXTRACTION_TIME + timedelta(hours=1))
    create_notifications(after)
    assert len(known.store.alerts.of_user(by(known).who)) == 1


def test_a_site_counts_as_broken_until_a_crawl_goes_well(known: App) -> None:
    run = broke(known, LOGIN, "soft_block", PAGES)
    assert [(broken.id, [one.count for one in breakages]) for broken, breakages in broken_sites(known)] == [
        (run.id, [4])
    ]
    tomorrow = dataclasses.replace(known, now=lambda: known.now() + timedelta(days=1))
    broke(tomorrow, Message("fetch.robots"), "robots", [])
    assert broken_sites(tomorrow) == []
