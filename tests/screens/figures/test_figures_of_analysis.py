"""Every figure and chart of the analysis says what MongoDB says: counted anew, by questions of the test's own."""

from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest

from tests.support.desk import (
    CONFIRMED,
    NO_COPY,
    TODAY,
    TOGETHER,
    WORDS,
    Desk,
    Document,
    day_of,
    english,
    href,
    number,
    plain,
    stacked,
    within,
)

pytestmark = pytest.mark.server


BINS = 20


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


def is_unlicensed(case: Document) -> bool:
    """Whether no licence covers a case, or its page lacks the attribution that the licence demands."""
    return case["licence_id"] is None or case["credited"] is False


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
    copies = [case for case in every if case["status"] not in NO_COPY and is_unlicensed(case)]
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
    return [case for case in cases if case["status"] not in NO_COPY and is_unlicensed(case)]


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
        level: href(page.locator(f"li:has([data-figure=level-{level}]) a"))
        for level in {case["match"]["level"] for case in copies}
    }
    columns = [href(link) for link in page.locator("section[aria-labelledby=over-time] svg a").all()]
    assert desk.listed(all_copies) == {case["number"] for case in copies}
    for level, address in levels.items():
        expected = {case["number"] for case in copies if case["match"]["level"] == level}
        assert desk.listed(address) == expected, level
    assert set().union(*(desk.listed(one) for one in columns)) == desk.numbers(scope(**names))
