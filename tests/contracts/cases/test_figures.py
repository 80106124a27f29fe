"""The figures of the analysis agree with the cases that they are made of."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pymongo
import pytest

from matcher.model import Change, Level, Passage
from tests.support.samples import NOON, TEXT, at_once, case, draft, match
from tests.support.seed import move_case
from wenhen.analysis.model import ChartPeriod, Measure, MoneyFigure, Scope
from wenhen.cases.model import Amount, AmountKind, CaseStatus
from wenhen.cases.rules import is_copy
from wenhen.context.store_and_queue import Store
from wenhen.kit.clock import CHINA
from wenhen.kit.mongo.codec import Document
from wenhen.kit.progress import Step

pytestmark = pytest.mark.server


def opened(store: Store, page: str, work: str = "w1", *, status: CaseStatus | None = None, **values: Any) -> None:
    found = match(page_id=page, work_id=work, **values.pop("match", {}))
    stored, _ = store.cases.open_or_update(case(page_id=page, work_id=work, match=found, id=f"{page}:{work}", **values))
    if status:
        move_case(store, stored.id, status, by="li", reason="x", at=NOON)


def put_work(store: Store, id: str, owner: str | None) -> None:
    store.works.put_all([replace(draft(id, text=TEXT), owner=owner)], note=None, step=Step.DONE)


def passage(start: int, end: int, change: Change = Change.VERBATIM) -> Passage:
    return Passage(page_start=start, page_end=end, work_start=start, work_end=end, similarity=1.0, change=change)


def test_cases_are_counted_in_the_beijing_day_in_which_they_were_opened(store: Store) -> None:
    late = datetime(2026, 3, 1, 15, 59, tzinfo=UTC)  # 23:59 in Beijing
    opened(store, "p1", opened_at=late)
    opened(store, "p2", opened_at=late + timedelta(minutes=1), status=CaseStatus.CONFIRMED)
    days = store.figures.over_time(Scope(), ChartPeriod.DAY)
    assert [(day.start, dict(day.cases)) for day in days] == [
        (date(2026, 3, 1), {CaseStatus.LEAD: 1}),
        (date(2026, 3, 2), {CaseStatus.CONFIRMED: 1}),
    ]


def test_moves_are_counted_in_the_month_in_which_they_were_made_with_the_days_until_then(store: Store) -> None:
    first = datetime(2026, 1, 31, 15, 59, tzinfo=UTC)  # 23:59 in Beijing
    for page, by in (("p1", "li"), ("p2", "wang")):
        opened(store, page, opened_at=first)
        move_case(store, f"{page}:w1", CaseStatus.CONFIRMED, by=by, reason=None, at=first + timedelta(days=2))
    move_case(store, "p1:w1", CaseStatus.NOTICE_SENT, by="li", reason=None, at=first + timedelta(days=4))
    move_case(store, "p1:w1", CaseStatus.REMOVED, by="li", reason=None, at=first + timedelta(days=40))
    everybody = store.figures.months(Scope())
    assert [(one.month, one.found, one.confirmed, one.notice_sent, one.removed) for one in everybody] == [
        (date(2026, 1, 1), 2, 0, 0, 0),
        (date(2026, 2, 1), 0, 2, 1, 0),
        (date(2026, 3, 1), 0, 0, 0, 1),
    ]
    days = [(one.days_to_confirmation, one.days_to_notice, one.days_to_removal) for one in everybody]
    assert days == [(None, None, None), (2.0, 4.0, None), (None, None, 36.0)]
    [february] = store.figures.months(Scope(), "wang")
    assert (february.found, february.confirmed, february.notice_sent) == (None, 1, 0)
    february_only = Scope(since=datetime(2026, 2, 1, tzinfo=UTC), until=datetime(2026, 3, 1, tzinfo=UTC))
    assert [one.month for one in store.figures.months(february_only)] == [date(2026, 2, 1)]


def test_amounts_are_summed_by_month_holder_and_currency(store: Store) -> None:
    for work, owner in (("w1", "河岸文艺社"), ("w2", None)):
        put_work(store, work, owner)
    opened(store, "p1", "w1")
    opened(store, "p2", "w2", page_host="other.example")
    for number, kind, currency, cents, day, by in (
        (1, AmountKind.CLAIMED, "CNY", 1_200_050, "2026-02-28", "li"),
        (1, AmountKind.CLAIMED, "CNY", 10, "2026-02-01", "li"),
        (1, AmountKind.PAID, "CNY", 800_000, "2026-03-01", "wang"),
        (2, AmountKind.COST, "USD", 9_999, "2026-03-31", "li"),
    ):
        host = "other.example" if number == 2 else "copies.example"
        store.amounts.add(
            Amount(
                id=f"{day} {cents}",
                case_number=number,
                page_host=host,
                kind=kind,
                currency=currency,
                cents=cents,
                day=day,
                note=None,
                by=by,
                at=NOON,
            )
        )
    february, march = date(2026, 2, 1), date(2026, 3, 1)
    claimed = MoneyFigure(month=february, holder="河岸文艺社", currency="CNY", claimed=12_000.6)
    paid = MoneyFigure(month=march, holder="河岸文艺社", currency="CNY", paid=8_000)
    cost = MoneyFigure(month=march, holder=None, currency="USD", cost=99.99)
    assert store.figures.money(Scope()) == [claimed, cost, paid]
    assert store.figures.money(Scope(holder="河岸文艺社")) == [claimed, paid]
    assert store.figures.money(Scope(host="other.example")) == [cost]
    assert store.figures.money(Scope(), "wang") == [paid]
    until_march = Scope(since=datetime(2026, 2, 1, tzinfo=CHINA), until=datetime(2026, 3, 1, tzinfo=CHINA))
    assert store.figures.money(until_march) == [claimed]
    assert store.figures.money_of_hosts(["other.example"]) == [replace(cost, month=None)]
    assert store.figures.money_of_hosts(["none.example"]) == []


def test_weeks_begin_on_monday_and_months_on_the_first(store: Store) -> None:
    opened(store, "p1", opened_at=datetime(2026, 3, 4, tzinfo=UTC))  # a Wednesday
    assert [one.start for one in store.figures.over_time(Scope(), ChartPeriod.WEEK)] == [date(2026, 3, 2)]
    assert [one.start for one in store.figures.over_time(Scope(), ChartPeriod.MONTH)] == [date(2026, 3, 1)]


def test_a_histogram_counts_each_copy_once_and_the_whole_belongs_to_the_last_column(store: Store) -> None:
    for at, share in enumerate((0.0, 0.1, 0.55, 1.0)):
        opened(store, f"p{at}", match={"share_of_page": share})
    bins = store.figures.of_copies(Scope(), 10).shares[Measure.SHARE_OF_PAGE]
    assert [one.cases for one in bins] == [1, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert (bins[0].low, bins[-1].high) == (0.0, 1.0)


def test_dismissed_and_licensed_cases_are_no_copies(store: Store) -> None:
    opened(store, "p1")
    opened(store, "p2", status=CaseStatus.DISMISSED)
    opened(store, "p3", licence_id="l1")
    told = store.figures.of_copies(Scope(), 4)
    assert sum(told.levels.values()) == 1
    assert [sum(one.cases for one in bins) for bins in told.shares.values()] == [1] * len(Measure)
    assert [one.cases for one in store.figures.works(Scope(), 5)] == [1]


def test_the_columns_of_one_status_hold_what_a_list_from_their_edge_holds(store: Store) -> None:
    for at, share in enumerate((0.0, 0.15, 0.2999, 0.3, 0.7, 1.0)):
        opened(store, f"p{at}", match={"share_of_page": share})
    opened(store, "p9", match={"share_of_page": 0.5}, status=CaseStatus.QUIET)
    bins = store.figures.shares_of_page(CaseStatus.LEAD, 20)
    assert sum(one.cases for one in bins) == 6
    for one in bins:
        below = one.high if one.high < 1 else None
        listed = store.cases.count(status=CaseStatus.LEAD, share_from=one.low, share_to=below)
        assert one.cases == listed, one


def test_hosts_are_ranked_by_their_copies_and_mirrors_count_for_their_main_host(store: Store) -> None:
    for at, host in enumerate(("a.example", "b.example", "b.example", "c.example", "m.c.example", "www.c.example")):
        opened(store, f"p{at}", page_host=host)
    opened(store, "q1", page_host="a.example", status=CaseStatus.DISMISSED)
    opened(store, "q2", page_host="a.example", licence_id="l1")
    assert store.figures.hosts(2) == [("b.example", 2), ("a.example", 1)]
    for mirror in ("m.c.example", "www.c.example"):
        store.mirrors.join(mirror, "c.example", pages=9, moment=NOON)
    assert store.figures.hosts(5) == [("c.example", 3), ("b.example", 2), ("a.example", 1)]
    of_sites = {one.host: sum(one.cases.values()) for one in store.figures.sites(Scope(), 5)}
    assert of_sites == {"c.example": 3, "b.example": 2, "a.example": 3}
    [work] = store.figures.works(Scope(), 5)
    assert work.hosts == 3
    assert sum(store.figures.of_copies(Scope(host="c.example"), 4).levels.values()) == 3


def test_the_most_copied_works_are_found_whatever_was_decided_on_their_cases(store: Store) -> None:
    chance = random.Random(7)
    for work in range(40):
        for page in range(chance.randint(1, 6)):
            opened(store, f"p{page}", f"w{work}", status=chance.choice([None, None, *CaseStatus]))
    copies = Counter(case.work_id for case in store.cases.each() if is_copy(case))
    for limit in (1, 3, 8, 50):
        found = [(one.work_id, one.cases) for one in store.figures.works(Scope(), limit)]
        assert [count for _, count in found] == sorted(copies.values(), reverse=True)[:limit]
        assert all(copies[work] == count for work, count in found)


def test_no_case_escapes_the_bound_by_which_works_are_ranked(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    at_once(*(partial(opened, store, f"p{page}") for page in range(12)))
    opened(store, "p0")  # known already
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as server:
        [tally] = server[database]["tallies"].find({})
    assert tally["_id"] == "w1"
    assert tally["opened"] >= 12
    assert [one.cases for one in store.figures.works(Scope(), 5)] == [12]


def test_the_cases_of_an_earlier_release_are_ranked_as_well(store: Store, mongo_url_and_db: tuple[str, str]) -> None:
    for page in range(3):
        opened(store, f"p{page}")
    opened(store, "p9", "w2")
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as server:
        server[database]["tallies"].delete_many({})
        server[database]["marks"].delete_many({})
    assert store.figures.works(Scope(), 5) == []
    store.prepare()
    assert [(one.work_id, one.cases) for one in store.figures.works(Scope(), 5)] == [("w1", 3), ("w2", 1)]


def test_a_scope_narrows_every_figure(store: Store) -> None:
    opened(store, "p1", page_host="a.example")
    opened(store, "p2", page_host="b.example", status=CaseStatus.CONFIRMED, match={"level": Level.REWRITTEN})
    opened(store, "p3", "w2", page_host="b.example", opened_at=NOON + timedelta(days=9))
    figures = store.figures
    for scope, count in (
        (Scope(), 3),
        (Scope(host="b.example"), 2),
        (Scope(work_id="w2"), 1),
        (Scope(level=Level.REWRITTEN), 1),
        (Scope(confirmed=True), 1),
        (Scope(status=CaseStatus.LEAD), 2),
        (Scope(since=NOON + timedelta(days=1)), 1),
        (Scope(until=NOON + timedelta(days=1)), 2),
    ):
        assert sum(figures.of_copies(scope, 4).levels.values()) == count
        assert sum(sum(one.cases.values()) for one in figures.over_time(scope, ChartPeriod.DAY)) == count
        assert sum(sum(one.cases.values()) for one in figures.sites(scope, 9)) == count


def test_changes_are_counted_by_passage_with_the_characters_they_cover(store: Store) -> None:
    opened(store, "p1", match={"passages": (passage(0, 10), passage(10, 13, Change.LIGHT))})
    opened(store, "p2", match={"passages": (passage(5, 9),)})
    assert [(one.change, one.passages, one.characters) for one in store.figures.changes(Scope())] == [
        (Change.VERBATIM, 2, 14),
        (Change.LIGHT, 1, 3),
    ]


def test_the_delay_runs_from_the_publication_of_the_work_to_the_first_sight_of_the_copy(store: Store) -> None:
    store.works.put_all([draft("w1", published_at=NOON - timedelta(days=3))], note=None, step=Step.DONE)
    store.works.put_all([draft("w2", text=TEXT * 2)], note=None, step=Step.DONE)  # no date: it says nothing of delays
    opened(store, "p1")
    opened(store, "p2", "w2")
    counted = [(one.low, one.high, one.cases) for one in store.figures.of_copies(Scope(), 10).delays if one.cases]
    assert counted == [(2, 4, 1)]


def test_the_parts_of_a_work_are_counted_once_a_case(store: Store) -> None:
    store.works.put_all([draft("w1", text="文" * 100)], note=None, step=Step.DONE)
    opened(store, "p1", match={"passages": (passage(0, 10), passage(5, 26))})
    opened(store, "p2", match={"passages": (passage(95, 100),)})
    assert store.figures.of_copies(Scope(), 10).parts == [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]


def test_a_site_is_told_by_its_statuses_its_works_and_what_is_gone(store: Store) -> None:
    opened(store, "p1", page_host="a.example", match={"share_of_page": 0.2})
    opened(store, "p2", "w2", page_host="a.example", status=CaseStatus.CONFIRMED, match={"share_of_page": 0.6})
    opened(store, "p3", "w3", page_host="a.example", status=CaseStatus.DISMISSED)
    opened(store, "p4", page_host="b.example", status=CaseStatus.DISMISSED)
    store.cases.mark_absent(["p1:w1"], NOON)
    [site] = store.figures.sites(Scope(), 5)
    assert site.host == "a.example"
    assert site.cases == {CaseStatus.LEAD: 1, CaseStatus.CONFIRMED: 1, CaseStatus.DISMISSED: 1}
    assert (site.gone, site.works) == (1, 2)
    assert site.mean_share_of_page == pytest.approx(0.4)


def test_a_page_is_not_gone_because_its_work_was_removed(store: Store) -> None:
    store.works.put_all([draft("w1", text="文" * 100)], note=None, step=Step.DONE)
    opened(store, "p1", page_host="a.example")
    store.cases.mark_absent(["p1:w1"], NOON)
    assert [site.gone for site in store.figures.sites(Scope(), 5)] == [1]
    store.works.remove("w1")
    assert [site.gone for site in store.figures.sites(Scope(), 5)] == [0]


def test_the_reaction_of_a_site_is_the_time_from_the_notice_to_the_removal(store: Store) -> None:
    for page, days in (("p1", 2), ("p2", 4), ("p3", None)):
        opened(store, page)
        number = store.cases.get(f"{page}:w1").number
        moves = [(CaseStatus.CONFIRMED, 0), (CaseStatus.NOTICE_SENT, 1)]
        if days:
            moves.append((CaseStatus.REMOVED, 1 + days))
        for status, day in moves:
            move_case(store, str(number), status, by="li", reason=None, at=NOON + timedelta(days=day))
    [site] = store.figures.sites(Scope(), 5)
    assert site.notices == 3
    assert site.days_to_removal == pytest.approx(3)  # two days and four


def test_a_work_is_told_by_its_cases_its_hosts_and_the_largest_share(store: Store) -> None:
    opened(store, "p1", page_host="a.example", match={"share_of_work": 0.2})
    opened(store, "p2", page_host="b.example", match={"share_of_work": 0.9})
    opened(store, "p3", "w2")
    first, second = store.figures.works(Scope(), 5)
    assert (first.work_id, first.cases, first.hosts, first.largest_share) == ("w1", 2, 2, 0.9)
    assert (second.work_id, second.cases) == ("w2", 1)
