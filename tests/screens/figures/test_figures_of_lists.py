"""Every list says what MongoDB says: counted anew, by questions of the test's own."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import date

import pytest

from tests.support.desk import (
    CONFIRMED,
    COPIES,
    NO_COPY,
    TODAY,
    TOGETHER,
    UNLICENSED,
    WORDS,
    Desk,
    Document,
    href,
    midnight,
    number,
    titles,
    within,
)
from tests.support.people import add_token
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.store import open_store

pytestmark = pytest.mark.server


CERTAIN = Settings().matcher.certain_score
EVERYDAY = ("lead", "confirmed", "notice_sent", "removed")  # have their tab also where no case stands at them


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
    "counted=confirmed&licensed=no": {**CONFIRMED, **UNLICENSED},
    "counted=copies&status=dismissed": COPIES,
    "licensed=yes": {"licence_id": "l1", "credited": {"$ne": False}},
    "licensed=no": UNLICENSED,
    "licence=l1&credited=no": {"licence_id": "l1", "credited": False},
    "credited=yes": {"credited": True},
    "present=no": {"present": False},
    "present=yes&level=verbatim": {"present": True, "match.level": "verbatim"},
    "removal=yes": {
        "present": False,
        "status": {"$in": ["confirmed", "notice_sent", "refused", "countered", "escalated", "court"]},
    },
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
    page = desk.go(f"/suspects/?{query}")
    assert (page.locator("input[name=case]").count() > 0) == bool(shown)
    by_status = Counter(case["status"] for case in every)
    everybody, *tabs = [number(tab) for tab in page.locator("main nav.tabs b").all()]
    shown_statuses = [one for one in WORDS.values() if by_status[one] or one == status or one in EVERYDAY]
    assert (everybody, tabs) == (by_status.total(), [by_status[one] for one in shown_statuses])


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
    [shown] = page.locator("tbody tr").all()
    assert number(shown.locator("td").first) == desk.db.works.count_documents({"series": "海岸线", "removed_at": None})


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
    texts = [one for one in cases if one["status"] not in NO_COPY and one["work_text_digest"] == work["text_digest"]]
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
    steps = ["extract", "read_pictures", "fingerprint", "index", "look_up", "align", "remove", "done", "set_aside"]
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


def test_a_report_holds_the_cases_of_its_list(desk: Desk) -> None:
    for query in ("counted=copies&host=copies.example", "status=lead&level=light"):
        [link] = [one for one in desk.go(f"/suspects/?{query}").locator("a").all() if one.inner_text() == "JSON"]
        report = desk.client.get(href(link)).json
        assert report
        assert {case["number"] for case in report["cases"]} == desk.listed(f"/suspects/?{query}")


def test_clusters_are_counted_by_the_api(desk: Desk, servers: ServerAddresses) -> None:
    store = open_store(servers.mongo_url, desk.db.name)
    _, text = add_token(store, store.users.get("chief"))
    answer = desk.client.get("/api/v1/clusters", headers={"Authorization": f"Bearer {text}"}).json
    assert answer
    [cluster] = answer["items"]
    assert cluster["pages"] == desk.db.cluster_members.count_documents({"cluster_id": "c1"})
    store.close()


def test_the_reports_count_what_a_report_holds_and_the_notices_that_are_due(desk: Desk) -> None:
    owners = {work["_id"]: work.get("owner") for work in desk.db.works.find({})}
    confirmed = desk.cases({"status": "confirmed", **UNLICENSED, "present": True})
    site = dict.fromkeys(TOGETHER, "copies.example")  # mirrors get one letter
    due = Counter((site.get(case["page_host"], case["page_host"]), owners[case["work_id"]]) for case in confirmed)
    page = desk.go("/reports/")
    for option in page.locator("select[name=status] option[value]:not([value=''])").all():
        status = option.get_attribute("value")
        assert number(option) == desk.db.cases.count_documents({"status": status}), status
    letters = {}
    for row in page.locator("section[aria-labelledby=due] tbody tr").all():
        host, holder = row.locator("th, td").all_inner_texts()[:2]
        letters[host, holder] = number(row.locator("td.figure")), href(row.locator("a.button"))
    assert {key: count for key, (count, _) in letters.items()} == due
    awaited = page.locator("section[aria-labelledby=awaited] tbody th").all_inner_texts()
    sent = desk.cases({"status": "notice_sent", "deadline": {"$ne": None}})
    assert number(page.locator("[data-figure=awaited]")) == desk.db.cases.count_documents({"status": "notice_sent"})
    assert {int(one.removeprefix("#")) for one in awaited} == {case["number"] for case in sent}
    for count, address in letters.values():
        assert desk.go(address).locator("article table").last.locator("tbody tr").count() == count
