"""Every tile, list and chart of the overview says what MongoDB says: counted anew, by questions of the test's own."""

from collections import Counter
from datetime import timedelta

import pytest

from tests.support.desk import (
    COPIES,
    TODAY,
    TOGETHER,
    UNLICENSED,
    WORDS,
    Desk,
    Document,
    day_of,
    href,
    number,
    stacked,
    within,
)
from tests.support.seed import NOW
from wenhen.runtime.settings_sources import Settings

pytestmark = pytest.mark.server


CERTAIN = Settings().matcher.certain_score


def test_every_tile_of_the_overview_counts_the_list_behind_it(desk: Desk) -> None:
    page, db = desk.go("/"), desk.db
    for status in WORDS.values():
        link = desk.go("/").locator(f".tile.status-{status} a")
        counted = db.cases.count_documents({"status": status})
        if not link.count():
            assert not counted
            continue
        assert number(link.locator("b")) == counted
        assert desk.listed(href(link)) == desk.numbers({"status": status})
    desk.go("/")
    works, pages, problems = (number(one) for one in page.locator(".tiles .tile b").all()[-3:])
    assert works == db.works.count_documents({"removed_at": None})
    assert pages == db.pages.count_documents({})
    assert problems == db.problems.count_documents({"where": {"$ne": "crawl"}})
    for name, filter in (("opened-today", within(TODAY, TODAY)), ("to-judge", {"status": "lead"})):
        figure = desk.go("/").locator(f"[data-figure={name}]")
        assert number(figure) == db.cases.count_documents(filter) > 0
        assert desk.listed(href(figure.locator(".."))) == desk.numbers(filter)


def test_the_chart_over_time_counts_each_day_in_beijing_by_status(desk: Desk) -> None:
    first = TODAY - timedelta(days=29)
    page = desk.go("/")
    expected = Counter(
        (f"{day_of(case['opened_at']):%m-%d}", case["status"]) for case in desk.cases(within(first, TODAY))
    )
    assert stacked(page, "over-time") == expected
    recent = page.locator("[data-figure=recent]")
    assert number(recent) == expected.total()
    columns = [href(link) for link in page.locator("section[aria-labelledby=over-time] svg a").all()]
    assert desk.listed(href(recent.locator(".."))) == desk.numbers(within(first, TODAY))
    assert set().union(*(desk.listed(one) for one in columns)) == desk.numbers(within(first, TODAY))


def test_the_histogram_counts_unlicensed_leads(desk: Desk) -> None:
    page = desk.go("/")
    leads: Document = {"status": "lead", **UNLICENSED}
    bars = [
        (int(bar.get_attribute("data-low") or ""), int(bar.get_attribute("data-cases") or ""), href(bar.locator("..")))
        for bar in page.locator("[data-histogram] [data-low]").all()
    ]
    assert sum(count for _, count, _ in bars) == desk.db.cases.count_documents(leads)
    for low, count, address in bars:
        share = {"$gte": low / 100} | ({"$lt": (low + 5) / 100} if low < 95 else {})
        expected = desk.numbers({**leads, "match.share_of_page": share})
        assert count == len(expected)
        if count:
            assert desk.listed(address) == expected


def test_the_most_copied_works_and_the_hosts_that_copy_most_leave_out_what_is_no_copy(desk: Desk) -> None:
    copies = desk.cases(COPIES)
    by_work = Counter(case["work_id"] for case in copies)
    by_host = Counter("copies.example" if case["page_host"] in TOGETHER else case["page_host"] for case in copies)
    for chart, counts in (("top-works", by_work), ("top-hosts", by_host)):
        rows = desk.go("/").locator(f"section[aria-labelledby={chart}] li").all()
        shown = [(number(row.locator("b")), href(row.locator("a").last)) for row in rows]
        assert [count for count, _ in shown] == sorted(counts.values(), reverse=True)
        for count, address in shown:
            found = desk.listed(address)
            assert len(found) == count
            assert found <= desk.numbers(COPIES)


def test_the_thresholds_count_the_leads_that_wait_now(desk: Desk) -> None:
    mark = {"name": "open", "probability": 0.2, "weight": 9.0, "decided": 7, "dismissed": 2, "false_alarms": 0.28}
    more: Document = {"expected_false_alarms": 0.1, "at_threshold": 0.8, "waiting": 999}
    kept = [{**mark, **more}, {**mark, **more, "name": "certain", "probability": CERTAIN}]
    value = {"intercept": -3.0, "slope": 0.1, "decisions": 7, "at": NOW, "thresholds": kept}
    desk.db.marks.update_one({"_id": "calibration"}, {"$set": {"value": value}}, upsert=True)
    rows = desk.go("/").locator("section[aria-labelledby=thresholds]")
    shown = [
        (number(row.locator("td").nth(1)), href(row.locator("th a"))) for row in rows.locator("tbody tr").all()
    ] + [(number(rows.locator("p a b")), href(rows.locator("p a")))]
    certain, uncertain = {"match.score": {"$gte": CERTAIN}}, {"match.score": {"$lt": CERTAIN}}
    for (count, address), score in zip(shown, ({}, certain, uncertain), strict=True):
        expected = desk.numbers({"status": "lead", **score})
        assert count == len(expected) > 0
        assert desk.listed(address) == expected


def test_the_newest_leads_and_the_last_runs_are_those_of_the_store(desk: Desk) -> None:
    page = desk.go("/")
    shown = [number(one) for one in page.locator("section[aria-labelledby=newest] tbody th").all()]
    assert shown == sorted(desk.numbers({"status": "lead"}), reverse=True)[:6]
    assert page.locator("section[aria-labelledby=runs] tbody tr").count() == desk.db.runs.count_documents({})
