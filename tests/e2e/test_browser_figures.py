"""Every list, figure and chart says what MongoDB says: counted here anew, by questions of the test's own."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import uuid4

import pymongo
import pytest
from playwright.sync_api import Browser, Locator, Page
from selectolax.lexbor import LexborHTMLParser

from dashboard.app import create_app
from dashboard.language import catalogue
from dashboard.permissions import RIGHTS, Right
from dashboard.tokens import Tokens
from store.mongo import open_store
from store.records import CaseStatus, Role
from tests.e2e.support import served_dashboard
from tests.e2e.varied import fill
from tests.unit.dashboard.seed import NOW, healthy, product_over
from wenhen.embedded import Addresses
from wenhen.operating import Operations
from wenhen.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.server]

Document = dict[str, Any]
COPIES: Document = {"status": {"$ne": "dismissed"}, "licence_id": None}
CONFIRMED: Document = {"status": {"$in": ["confirmed", "notice_sent", "removed", "refused", "escalated"]}}
TOGETHER = ["copies.example", "m.copies.example"]
CERTAIN = Settings().matcher.certain_score
BINS = 20


class Desk(NamedTuple):
    """A browser's page on the dashboard, and the database under it."""

    page: Page
    db: Any

    def go(self, address: str) -> Page:
        """Open a screen, in English."""
        answer = self.page.goto(address + ("&" if "?" in address else "?") + "lang=en")
        assert answer is not None
        assert answer.status == 200, address
        return self.page

    def listed(self, address: str) -> set[int]:
        """The numbers of all cases of a list, folded ones and those on its further pages as well."""
        numbers: set[int] = set()
        path = address.split("?", maxsplit=1)[0]
        while True:
            answer = self.page.request.get(address)
            assert answer.status == 200, address
            list_ = LexborHTMLParser(answer.text())
            for box in list_.css("input[name=case]"):
                numbers |= set(map(int, (box.attributes["value"] or "").split(",")))
            following = list_.css_first("a[rel=next]")
            if following is None:
                return numbers
            address = path + (following.attributes["href"] or "")

    def cases(self, filter: Document) -> list[Document]:
        """The cases that fit, as they are stored."""
        return list(self.db.cases.find(filter))

    def numbers(self, filter: Document) -> set[int]:
        """Their numbers."""
        return {case["number"] for case in self.cases(filter)}


@pytest.fixture(scope="module")
def desk(browser: Browser, servers: Addresses) -> Iterator[Desk]:
    """A dashboard over a varied store, looked at and not changed by the tests of this file."""
    name = f"wenhen_test_{uuid4().hex}"
    store = open_store(servers.mongo_url, name)
    store.prepare()
    fill(store)
    with (
        pymongo.MongoClient[Document](servers.mongo_url, tz_aware=True) as client,
        product_over(store, f"{servers.redis_url}?db=8") as product,
    ):
        app = create_app(
            store,
            secret_key="only for tests",
            sign_in=False,
            health=healthy,
            enqueue=lambda kind, id, step: None,
            actions=Operations(product),
            clock=lambda: NOW,
        )
        with served_dashboard(app) as address, browser.new_context(base_url=address) as context:
            yield Desk(context.new_page(), client[name])
        store.close()
        client.drop_database(name)


def number(where: Locator) -> int:
    """The last number of a text."""
    return int(re.findall(r"[\d,]+", where.inner_text())[-1].replace(",", ""))


def href(link: Locator) -> str:
    """Where a link leads."""
    found = link.get_attribute("href")
    assert found
    return found


def day_of(at: datetime) -> date:
    """The day in Beijing."""
    return (at + timedelta(hours=8)).date()


def midnight(day: date) -> datetime:
    """Its beginning, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=8)


TODAY = day_of(NOW)


def within(first: date, last: date) -> Document:
    """Opened on these days."""
    return {"opened_at": {"$gte": midnight(first), "$lt": midnight(last + timedelta(days=1))}}


def titles(page: Page, chart: str) -> list[str]:
    """What the columns of a chart say when they are pointed at."""
    found: list[str] = page.locator(f"section[aria-labelledby={chart}] svg title").evaluate_all(
        "titles => titles.map(one => one.textContent)"
    )
    return found


def english(key: str) -> str:
    """What the dashboard calls it."""
    return catalogue().text("en", key)


WORDS = {english(f"status.{status}"): str(status) for status in CaseStatus}


def stacked(page: Page, chart: str) -> Counter[tuple[str, str]]:
    """The pieces of a chart of stacked columns, by label and status."""
    counts: Counter[tuple[str, str]] = Counter()
    for title in titles(page, chart):
        label, rest = title.split(" · ")
        words, count = rest.rsplit(" ", 1)
        counts[label, WORDS[words]] += int(count.replace(",", ""))
    return counts


def plain(page: Page, chart: str) -> list[int]:
    """The numbers that stand as a table under a chart of one kind."""
    cells = page.locator(f"section[aria-labelledby={chart}] table td").all_text_contents()
    return [int(cell.replace(",", "")) for cell in cells]


def test_every_tile_of_the_overview_counts_the_list_behind_it(desk: Desk) -> None:
    page, db = desk.go("/"), desk.db
    for status in WORDS.values():
        link = desk.go("/").locator(f".tile.status-{status} a")
        assert number(link.locator("b")) == db.cases.count_documents({"status": status})
        assert desk.listed(href(link)) == desk.numbers({"status": status})
    desk.go("/")
    works, pages, problems = (number(one) for one in page.locator(".tiles .tile b").all()[-3:])
    assert works == db.works.count_documents({"removed_at": None})
    assert pages == db.pages.count_documents({})
    assert problems == db.problems.count_documents({})
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


def test_the_histogram_and_its_threshold_count_unlicensed_leads(desk: Desk) -> None:
    page = desk.go("/")
    leads: Document = {"status": "lead", "licence_id": None}
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
    for threshold in ("30", "75"):
        desk.go("/").locator("#threshold").fill(threshold)
        expected = desk.numbers({**leads, "match.share_of_page": {"$gte": int(threshold) / 100}})
        assert number(page.locator("[data-above]")) == len(expected)
        assert desk.listed(href(page.locator("[data-threshold-link]"))) == expected


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
    desk.db.marks.update_one({"_id": "calibration"}, {"$set": {"value": {"thresholds": kept}}}, upsert=True)
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


def word(text: str) -> Callable[[Document], bool]:
    """Whether a case's titles or address hold a text."""
    return lambda case: any(text in (case.get(name) or "") for name in ("page_title", "work_title", "page_url"))


SUSPECTS: dict[str, Document | Callable[[Document], bool]] = {
    "": {},
    "status=quiet": {},
    "host=b.example": {"page_host": "b.example"},
    "host=copies.example": {"page_host": {"$in": TOGETHER}},
    "host=m.copies.example": {"page_host": "m.copies.example"},
    "site=copies": {"page_host": {"$in": TOGETHER}},
    "site=copies&host=copies.example": {"page_host": {"$in": TOGETHER}},
    "site=b&host=copies.example": {"page_host": "none"},
    "work=w1": {"work_id": "w1"},
    "work=w1&order=largest": {"work_id": "w1"},
    "cluster=c1": {"cluster_id": "c1"},
    "level=light": {"match.level": "light"},
    "band=certain": {"match.score": {"$gte": CERTAIN}},
    "band=uncertain&status=lead&order=likeliest": {"match.score": {"$lt": CERTAIN}},
    "counted=copies": COPIES,
    "counted=confirmed": CONFIRMED,
    "counted=confirmed&licensed=no": {**CONFIRMED, "licence_id": None},
    "counted=copies&status=dismissed": COPIES,
    "licensed=yes": {"licence_id": "l1"},
    "licensed=no": {"licence_id": None},
    "licence=l1&credited=no": {"licence_id": "l1", "credited": False},
    "credited=yes": {"credited": True},
    "present=no": {"present": False},
    "present=yes&level=verbatim": {"present": True, "match.level": "verbatim"},
    "removal=yes": {"present": False, "status": {"$in": ["confirmed", "notice_sent", "refused", "escalated"]}},
    "assignee=none": {"assignee": None},
    "assignee=李": {"assignee": "李"},
    "score_from=0.5&score_to=0.97": {"match.score": {"$gte": 0.5, "$lt": 0.97}},
    "share_from=0.3&share_to=0.95": {"match.share_of_page": {"$gte": 0.3, "$lt": 0.95}},
    "since=2026-02-01&until=2026-03-05": within(date(2026, 2, 1), date(2026, 3, 5)),
    "since=2026-03-06": within(TODAY, TODAY),
    "q=潮汐": word("潮汐"),
    "q=b.example": word("b.example"),
    "q=潮汐 d.example": lambda case: word("潮汐")(case) and word("d.example")(case),
    "q=。": {"number": 0},
    "status=confirmed&counted=copies&host=copies.example&since=2025-12-01&level=light": {
        **COPIES,
        "page_host": {"$in": TOGETHER},
        "match.level": "light",
        "opened_at": {"$gte": midnight(date(2025, 12, 1))},
    },
}


@pytest.mark.parametrize("query", SUSPECTS)
def test_a_list_of_suspects_and_its_tabs_hold_what_its_filter_says(desk: Desk, query: str) -> None:
    wanted = SUSPECTS[query]
    every = list(filter(wanted, desk.cases({}))) if callable(wanted) else desk.cases(wanted)
    status = dict(part.split("=") for part in query.split("&") if part).get("status")
    shown = desk.listed(f"/suspects/?{query}")
    assert shown == {case["number"] for case in every if status in (None, case["status"])}
    boxes = desk.go(f"/suspects/?{query}").locator("input[name=case]").count()
    assert (boxes > 0) == bool(shown)
    by_status = Counter(case["status"] for case in every)
    tabs = [number(tab) for tab in desk.page.locator("main nav.tabs b").all()]
    assert tabs == [by_status.total(), *(by_status[one] for one in WORDS.values())]


@pytest.mark.parametrize("query", ["", "status=lead", "counted=copies&host=copies.example", "site=copies"])
@pytest.mark.parametrize("fold", ["site", "work"])
def test_a_group_counts_the_list_that_it_leads_to(desk: Desk, fold: str, query: str) -> None:
    page = desk.go(f"/suspects/?fold={fold}&{query}")
    groups = [(number(link), href(link)) for link in page.locator("tr.group a").all()]
    every = desk.listed(f"/suspects/?fold=none&{query}")
    assert sum(count for count, _ in groups) == len(every)
    for count, address in groups:
        found = desk.listed(address)
        assert len(found) == count
        assert found <= every


def test_a_row_is_a_page_or_a_cluster(desk: Desk) -> None:
    page, rows = desk.go("/suspects/"), set()
    for case in desk.cases({}):
        rows.add(case["cluster_id"] or case["page_id"])
    assert number(page.locator(".pager span").first) == len(rows) < desk.db.cases.count_documents({})


def test_the_works_are_counted_searched_and_gathered_in_series(desk: Desk) -> None:
    for query, filter in (
        ("", {}),
        ("?q=潮汐", {"title": {"$regex": "潮汐"}}),
        ("?series=海岸线", {"series": "海岸线"}),
    ):
        page = desk.go(f"/works/{query}")
        expected = desk.db.works.count_documents({"removed_at": None, **filter})
        assert number(page.locator(".pager span").first) == page.locator("tbody tr").count() == expected > 0
    page = desk.go("/works/series")
    [shown] = page.locator(".ranking li").all()
    assert number(shown.locator("span")) == desk.db.works.count_documents({"series": "海岸线", "removed_at": None})


@pytest.mark.parametrize("id", ["w0", "w1", "w4", "w5"])
def test_a_work_tells_of_its_cases_what_is_copied_and_what_happened(desk: Desk, id: str) -> None:
    page = desk.go(f"/works/one?id={id}")
    work, cases = desk.db.works.find_one({"_id": id}), desk.cases({"work_id": id})
    assert number(page.locator("#cases")) == page.locator("section[aria-labelledby=cases] tbody tr").count()
    assert number(page.locator("#cases")) == len(cases)
    assert page.locator("section[aria-labelledby=versions] tbody tr").count() == len(work["versions"])
    told = page.locator(".timeline li").count()
    happened = 1 + (work["published_at"] is not None) + (len(work["versions"]) - 1)
    assert told == happened + len(cases[-40:]) + sum(case["decided_at"] is not None for case in cases[-40:])
    texts = [one for one in cases if one["status"] != "dismissed" and one["work_text_digest"] == work["text_digest"]]
    for title in titles(page, "heat"):
        start, end, count = (int(one.replace(",", "")) for one in re.findall(r"[\d,]+", title))
        touching = [
            one
            for one in texts
            if any(part["work_start"] < end and part["work_end"] >= start for part in one["match"]["passages"])
        ]
        assert count == len(touching), title
    address = page.locator("section[aria-labelledby=cases] .actions a").first
    assert desk.listed(href(address)) == {case["number"] for case in cases}


def test_a_case_counts_its_passages_its_remarks_and_the_other_copies(desk: Desk) -> None:
    for case in desk.cases({"number": {"$in": [1, 2, 3]}}):
        page = desk.go(f"/cases/{case['number']}")
        assert page.locator("ol.passages li").count() == len(case["match"]["passages"])
        assert number(page.locator("#comments")) == desk.db.comments.count_documents({"case_number": case["number"]})
        assert number(page.locator("#others")) == desk.db.cases.count_documents({"work_id": case["work_id"]}) - 1


def test_sites_and_runs_are_those_of_the_store(desk: Desk) -> None:
    db = desk.db
    page = desk.go("/sites/")
    assert page.locator("section[aria-labelledby=list] tbody tr").count() == db.sites.count_documents({})
    assert page.locator("section[aria-labelledby=runs] tbody tr").count() == db.runs.count_documents({})
    assert desk.go("/sites/?tag=小说").locator("section[aria-labelledby=list] tbody tr").count() == 1
    page = desk.go("/sites/of/copies")
    assert page.locator("section[aria-labelledby=runs] tbody tr").count() == db.runs.count_documents(
        {"subject": "copies"}
    )
    for run in db.runs.find({}):
        cells = desk.go(f"/sites/runs/{run['_id']}").locator("section[aria-labelledby=counts] td").all()
        assert [number(cell) for cell in cells] == list(run["counts"].values())


def test_a_licence_counts_the_cases_that_it_covers(desk: Desk) -> None:
    for at, licence in enumerate(desk.db.licences.find({})):
        row = desk.go("/licences/").locator("tbody tr").nth(at)
        links = row.locator("td.figure a").all()
        filters = [{"licence_id": licence["_id"]}, {"licence_id": licence["_id"], "credited": False}]
        shown = [(number(link), href(link)) for link in links]
        assert len(shown) == (2 if licence["attribution"] else 1)
        for (count, address), filter in zip(shown, filters, strict=False):
            expected = desk.numbers(filter)
            assert count == len(expected)
            assert desk.listed(address) == expected


def test_health_discoveries_users_and_the_audit_log_count_what_is_stored(desk: Desk) -> None:
    db, page = desk.db, desk.go("/health/")
    rows = page.locator("section[aria-labelledby=steps] tbody tr").all()
    shown = [[number(cell) for cell in row.locator("td").all()] for row in rows]
    steps = ["extract", "fingerprint", "index", "look_up", "align", "remove", "done", "set_aside"]
    counted = [[kind.count_documents({"progress.step": step}) for kind in (db.works, db.pages)] for step in steps]
    assert shown == counted
    assert [sum(column) for column in zip(*shown, strict=True)] == [
        db.works.count_documents({}),
        db.pages.count_documents({}),
    ]
    assert page.locator("section[aria-labelledby=aside] tbody tr").count() == 1
    assert number(page.locator("#problems")) == db.problems.count_documents({})
    for status in ("pending", "accepted", "refused"):
        found = desk.go(f"/discoveries/?status={status}").locator("tbody tr")
        assert found.count() == db.discoveries.count_documents({"status": status})
    users = desk.go("/users/").locator("section[aria-labelledby=list] tbody tr")
    assert users.count() == db.users.count_documents({}) == 2
    for query, filter in (("", {}), ("?who=李", {"who": "李"}), ("?subject=case:7", {"subject": "case:7"})):
        total = desk.go(f"/audit/{query}").locator(".pager span").first
        assert number(total) == db.audit.count_documents(filter) > 0


def scope(**names: str) -> Document:
    """The filter of an analysis that is asked for in an address, without what makes a case a copy."""
    first = date.fromisoformat(names.get("since", str(TODAY - timedelta(days=89))))
    last = date.fromisoformat(names.get("until", str(TODAY)))
    filter = within(first, last)
    if "host" in names:
        filter["page_host"] = {"$in": TOGETHER} if names["host"] == TOGETHER[0] else names["host"]
    if "work" in names:
        filter["work_id"] = names["work"]
    if "level" in names:
        filter["match.level"] = names["level"]
    return {**filter, **CONFIRMED} if "confirmed" in names else filter


@pytest.mark.parametrize(
    "query",
    [
        "",
        "host=copies.example",
        "host=c.example&since=2025-10-01",
        "work=w0&level=light",
        "confirmed=1",
        "since=2026-01-01&until=2026-03-05&pace=week",
        "since=2025-09-01&pace=month&confirmed=1",
    ],
)
def test_the_analysis_counts_by_period_site_work_and_kind(desk: Desk, query: str) -> None:
    names = dict(part.split("=") for part in query.split("&") if part)
    every = desk.cases(scope(**names))
    copies = [case for case in every if case["status"] != "dismissed" and case["licence_id"] is None]
    page = desk.go(f"/analysis/?{query}")

    assert number(page.locator("[data-figure=copies]")) == len(copies)
    levels = Counter(case["match"]["level"] for case in copies)
    shown = {level: number(page.locator(f"[data-figure=level-{level}]")) for level in levels}
    assert shown == levels
    assert stacked(page, "over-time") == Counter((_label(case["opened_at"], names), case["status"]) for case in every)

    parts = [part for case in copies for part in case["match"]["passages"]]
    cells = [number(cell) for cell in page.locator("section[aria-labelledby=changes] td").all()]
    kinds = [[one for one in parts if one["change"] == kind] for kind in ("verbatim", "light", "rewritten")]
    expected = [(len(kind), sum(one["page_end"] - one["page_start"] for one in kind)) for kind in kinds if kind]
    assert list(zip(cells[::2], cells[1::2], strict=True)) == expected

    for chart, field in (
        ("share_of_page", "share_of_page"),
        ("share_of_work", "share_of_work"),
        ("similarity", "similarity"),
    ):
        columns = Counter(min(int(case["match"][field] * BINS), BINS - 1) for case in copies)
        assert plain(page, chart) == [columns[at] for at in range(BINS)], chart
    assert plain(page, "delays") == _delays(desk, copies)
    assert plain(page, "parts") == _parts(desk, copies)
    _check_sites(desk, query, every)
    _check_works(desk, query, copies)
    _check_links(desk, query, names, copies)


def _label(at: datetime, names: dict[str, str]) -> str:
    """How the chart calls the period; more than 92 days are shown by weeks."""
    day = day_of(at)
    if names.get("pace") == "month":
        return f"{day:%Y-%m}"
    long = TODAY - date.fromisoformat(names.get("since", str(TODAY))) > timedelta(days=92)
    return f"{day - timedelta(days=day.weekday()):%m-%d}" if names.get("pace") == "week" or long else f"{day:%m-%d}"


def _delays(desk: Desk, copies: list[Document]) -> list[int]:
    published = {work["_id"]: work["published_at"] for work in desk.db.works.find({})}
    days = [
        (min(case["opened_at"], case["capture"]["fetched_at"]) - published[case["work_id"]]) / timedelta(days=1)
        for case in copies
        if published[case["work_id"]]
    ]
    bounds = [float("-inf"), 0, 1, 2, 4, 8, 31, 91, 366, float("inf")]
    return [sum(low <= day < high for day in days) for low, high in pairwise(bounds)]


def _parts(desk: Desk, copies: list[Document]) -> list[int]:
    lengths = {work["_id"]: work["length"] for work in desk.db.works.find({})}
    counts: Counter[int] = Counter()
    for case in copies:
        length = lengths[case["work_id"]]
        letters = {at for one in case["match"]["passages"] for at in range(one["work_start"], one["work_end"])}
        counts.update({min(at * BINS // length, BINS - 1) for at in letters})
    return [counts[at] for at in range(BINS)]


def _check_sites(desk: Desk, query: str, every: list[Document]) -> None:
    by_host: dict[str, list[Document]] = {}
    for case in every:
        host = TOGETHER[0] if case["page_host"] in TOGETHER else case["page_host"]
        by_host.setdefault(host, []).append(case)
    table = desk.go(f"/analysis/?{query}").locator("section[aria-labelledby=sites]")
    headings = table.locator("thead th").all_inner_texts()[1:]
    rows = [
        (
            row.locator("th").inner_text().strip(),
            dict(zip(headings, row.locator("td").all_inner_texts(), strict=True)),
            href(row.locator("th a")),
        )
        for row in table.locator("tbody tr").all()
    ]
    assert {host for host, _, _ in rows} == {host for host, cases in by_host.items() if _copies(cases)}
    for host, cells, address in rows:
        cases, copies = by_host[host], _copies(by_host[host])
        for words, status in WORDS.items():
            assert int(cells.get(words, "0")) == sum(case["status"] == status for case in cases), (host, status)
        assert int(cells[english("analysis.gone")]) == sum(not case["present"] for case in copies)
        assert int(cells[english("analysis.works")]) == len({case["work_id"] for case in copies})
        sent = [case for case in cases if any(move["status"] == "notice_sent" for move in case["history"])]
        assert int(cells[english("analysis.notices")]) == len(sent)
        assert desk.listed(address) == {case["number"] for case in cases}


def _copies(cases: list[Document]) -> list[Document]:
    return [case for case in cases if case["status"] != "dismissed" and case["licence_id"] is None]


def _check_works(desk: Desk, query: str, copies: list[Document]) -> None:
    by_work: dict[str, list[Document]] = {}
    for case in copies:
        by_work.setdefault(case["work_id"], []).append(case)
    page = desk.go(f"/analysis/?{query}")
    rows = [
        (
            number(row.locator("td").first),
            number(row.locator("td").nth(1)),
            row.locator("td").nth(2).inner_text(),
            href(row.locator("td a")),
        )
        for row in page.locator("section[aria-labelledby=works] tbody tr").all()
    ]
    assert len(rows) == len(by_work)
    for count, hosts, largest, address in rows:
        [cases] = [one for one in by_work.values() if f"work={one[0]['work_id']}&" in address + "&"]
        assert count == len(cases)
        assert hosts == len({TOGETHER[0] if one["page_host"] in TOGETHER else one["page_host"] for one in cases})
        assert largest == f"{100 * max(one['match']['share_of_work'] for one in cases):.1f}%"
        assert desk.listed(address) == {case["number"] for case in cases}


def _check_links(desk: Desk, query: str, names: dict[str, str], copies: list[Document]) -> None:
    page = desk.go(f"/analysis/?{query}")
    all_copies = href(page.locator("[data-figure=copies]").locator(".."))
    levels = {
        level: href(desk.page.locator(f"li:has([data-figure=level-{level}]) a"))
        for level in {case["match"]["level"] for case in copies}
    }
    columns = [href(link) for link in page.locator("section[aria-labelledby=over-time] svg a").all()]
    assert desk.listed(all_copies) == {case["number"] for case in copies}
    for level, address in levels.items():
        expected = {case["number"] for case in copies if case["match"]["level"] == level}
        assert desk.listed(address) == expected, level
    assert set().union(*(desk.listed(one) for one in columns)) == desk.numbers(scope(**names))


def test_a_report_holds_the_cases_of_its_list(desk: Desk) -> None:
    for query in ("counted=copies&host=copies.example", "status=lead&level=light"):
        desk.go(f"/suspects/?{query}")
        report = desk.page.request.get(href(desk.page.get_by_role("link", name="JSON"))).json()
        assert {case["number"] for case in report["cases"]} == desk.listed(f"/suspects/?{query}")


def test_clusters_are_counted_by_the_api(desk: Desk, servers: Addresses) -> None:
    store = open_store(servers.mongo_url, desk.db.name)
    _, text = Tokens(store, lambda: NOW, "test").make(
        store.users.get("chief"), "test", RIGHTS[Role.ADMINISTRATOR], 30, within=frozenset(Right)
    )
    answer = desk.page.request.get("/api/v1/clusters", headers={"Authorization": f"Bearer {text}"}).json()
    [cluster] = answer["items"]
    assert cluster["pages"] == desk.db.cluster_members.count_documents({"cluster_id": "c1"})
    store.close()
