"""Compute the figures of the analysis as MongoDB aggregations over cases."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Final

from matcher.model import Change
from wenhen.analysis.figure_stages import (
    AMOUNT_SUMS,
    COUNTED_MOVES,
    MOVE_FIGURES,
    MOVE_MONTH,
    group_by_host_stage,
    make_money_figures,
    make_month_figures,
    make_site_figures,
    merge_work_takings,
    work_taking_stages,
)
from wenhen.analysis.model import (
    Bin,
    Carried,
    ChangeFigure,
    ChartPeriod,
    CopyCount,
    CopyFigures,
    HostTrend,
    MoneyFigure,
    MonthFigure,
    Period,
    Scope,
    SiteFigure,
    SiteTaking,
    WorkFigure,
    period_start,
)
from wenhen.cases.case_queries import CONFIRMED_STATUS_FILTER, COPY_STATUS_FILTER, MILLISECONDS_PER_DAY
from wenhen.cases.case_updates import CaseTallies
from wenhen.cases.comments_and_amounts import AMOUNTS
from wenhen.cases.model import CaseStatus
from wenhen.cases.repository import CASES
from wenhen.kit.clock import china_day
from wenhen.kit.mongo.codec import Document, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, Repository, Table
from wenhen.sites.model import mirror_group
from wenhen.sites.repository import Mirrors
from wenhen.works.repository import WORKS, find_owned_ids

EPOCH: Final = date(1970, 1, 1)
# Day in China on which a case was opened, since the epoch. The calendar functions of the server take twice the time.
CHINA_OFFSET_MILLISECONDS: Final = 8 * 3600 * 1000  # offset from UTC, constant since 1991
DAY_EXPRESSION: Final = {
    "$toInt": {
        "$floor": {"$divide": [{"$add": [{"$toLong": "$opened_at"}, CHINA_OFFSET_MILLISECONDS]}, MILLISECONDS_PER_DAY]}
    }
}
MAX_WORKS_PER_QUERY: Final = 10_000  # works per query
COUNT_ONE: Final = {"$sum": 1}
NEWEST_FIRST: Final = [("number", -1)]
TITLE_PROJECTION: Final[Document] = {"_id": 0, "work_title": 1}
HOST_INDEX_NAME, SHARE_INDEX_NAME = "licensed_1_status_1_page_host_1", "licensed_1_status_1_match.share_of_page_1"
# The index for the rarest condition. Without a hint the server may choose one that does not cover the query.
INDEX_HINTS: Final = {"work_id": "listed_work", "page_host": "listed_host", "opened_at": "listed_opened"}


def _last_move_expression(status: CaseStatus) -> Document:
    moves = {"$filter": {"input": "$history", "as": "move", "cond": {"$eq": ["$$move.status", status.value]}}}
    return {"$max": {"$map": {"input": moves, "as": "move", "in": "$$move.at"}}}


# The times of the last notice and of the removal; null for cases that were never there.
NOTICE_TIME: Final = {"$ifNull": ["$notice_at", _last_move_expression(CaseStatus.NOTICE_SENT)]}
REMOVAL_TIME: Final = {
    "$cond": [{"$eq": ["$status", CaseStatus.REMOVED.value]}, _last_move_expression(CaseStatus.REMOVED), None]
}


class Figures(Repository):
    """Aggregations over the collection of `Cases`."""

    declared = CASES

    def __init__(self, database: OpenDatabase, tallies: CaseTallies, mirrors: Mirrors) -> None:
        super().__init__(database)
        self._works = Table(database, WORKS)
        self._amounts = Table(database, AMOUNTS)
        self._tallies = tallies
        self._mirrors = mirrors

    def over_time(self, scope: Scope, pace: ChartPeriod) -> list[Period]:
        """Return the periods in which cases were opened, the earliest first. All statuses are counted."""
        of_a_day = {"$group": {"_id": {"day": DAY_EXPRESSION, "status": "$status"}, "cases": COUNT_ONE}}
        periods: dict[date, Counter[CaseStatus]] = {}
        for group in self._ask(self._filter(scope), of_a_day):
            day = EPOCH + timedelta(days=group["_id"]["day"])
            periods.setdefault(period_start(day, pace), Counter())[CaseStatus(group["_id"]["status"])] += group["cases"]
        return [Period(start=start, cases=periods[start]) for start in sorted(periods)]

    def months(self, scope: Scope, person: str | None = None) -> list[MonthFigure]:
        """Return what became of cases in each month of the scope in which something did, the earliest first.

        person: who decided; None: anybody.
        """
        opened = [] if person else self.over_time(scope, ChartPeriod.MONTH)
        groups = self.table.aggregate(
            [
                {"$match": self._moved_filter(scope)},
                {"$project": {"history": 1, "opened_at": 1, "noticed": NOTICE_TIME}},
                {"$unwind": "$history"},
                {"$match": _move_filter(scope, person)},
                {"$group": {"_id": {"month": MOVE_MONTH, "status": "$history.status"}, **MOVE_FIGURES}},
            ],
            hint="updated_at_1",
        )
        return make_month_figures({period.start: sum(period.cases.values()) for period in opened}, groups, person)

    def money(self, scope: Scope, person: str | None = None) -> list[MoneyFigure]:
        """Return the amounts of cases by month, holder and currency. The days of the scope are those of the amounts.

        person: who recorded them; None: anybody.
        """
        first = china_day(scope.since).isoformat() if scope.since else ""
        days = {"$gte": first} | ({"$lt": china_day(scope.until).isoformat()} if scope.until else {})
        which: Document = {"day": days} | ({"by": person} if person else {})
        groups = self._amounts.aggregate([{"$match": which}, *AMOUNT_SUMS], hint="day_1")
        numbers = sorted({group["_id"]["case"] for group in groups})
        cases: list[Document] = []
        for start in range(0, len(numbers), MAX_WORKS_PER_QUERY):
            chosen = {"number": {"$in": numbers[start : start + MAX_WORKS_PER_QUERY]}}
            wanted = {**self._filter(replace(scope, since=None, until=None)), **chosen}
            cases += self.table.some(wanted, fields={"_id": 0, "number": 1, "work_id": 1}, hint="number_1")
        works = self._of_works(cases, {"owner": 1})
        return make_money_figures(
            groups, {case["number"]: works.get(case["work_id"], {}).get("owner") for case in cases}
        )

    def money_of_hosts(self, hosts: Collection[str]) -> list[MoneyFigure]:
        """Return the amounts of the cases of these hosts by currency."""
        groups = self._amounts.aggregate([{"$match": {"page_host": {"$in": list(hosts)}}}, *AMOUNT_SUMS])
        return make_money_figures(groups, None)

    def _moved_filter(self, scope: Scope) -> Document:
        """Return the filter for cases that may have a move within the scope, whenever they were opened."""
        since = to_milliseconds(scope.since) if scope.since else datetime(1970, 1, 1, tzinfo=UTC)
        return {**self._filter(replace(scope, since=None, until=None)), "updated_at": {"$gte": since}}

    def shares_of_page(self, status: CaseStatus, bins: int) -> list[Bin]:
        # Each bin is a range of the index, which is several times faster than reading the cases.
        """Return the copies of one status by share of the page, in `bins` equal parts of [0, 1], empty ones
        included.
        """
        filter, columns = self._copies(Scope(status=status)), []
        for bin_index in range(bins):
            share = {"$gte": bin_index / bins} | ({"$lt": (bin_index + 1) / bins} if bin_index < bins - 1 else {})
            cases = self.table.count({**filter, "match.share_of_page": share}, hint=SHARE_INDEX_NAME)
            columns.append(Bin(low=bin_index / bins, high=(bin_index + 1) / bins, cases=cases))
        return columns

    def of_copies(self, scope: Scope, bins: int) -> CopyFigures:
        # Imports numpy, which other commands do not need.
        """Return the figures from one pass over the copies.

        Delays run from the first publication of a work to the first sight of a copy, for works with a date.
        """
        from wenhen.analysis.copy_statistics import COPY_PROJECTION, WORK_PROJECTION, compute_copy_figures

        copies = self._ask(self._copies(scope), {"$project": COPY_PROJECTION})
        return compute_copy_figures(copies, self._of_works(copies, WORK_PROJECTION), bins)

    def changes(self, scope: Scope) -> list[ChangeFigure]:
        gap = {"$subtract": [{"$last": "$$this"}, {"$first": "$$this"}]}
        gaps = {"$map": {"input": {"$ifNull": ["$match.passages.page_gaps", []]}, "in": gap}}
        whole = {"$subtract": ["$match.passages.page_end", "$match.passages.page_start"]}
        length = {"$ifNull": ["$match.passages.page_characters", {"$subtract": [whole, {"$sum": gaps}]}]}
        groups = self._ask(
            self._copies(scope),
            {"$unwind": "$match.passages"},
            {"$group": {"_id": "$match.passages.change", "passages": COUNT_ONE, "characters": {"$sum": length}}},
        )
        by_id = {group["_id"]: group for group in groups}
        return [
            ChangeFigure(change=change, passages=by_id[change]["passages"], characters=by_id[change]["characters"])
            for change in Change
            if change in by_id
        ]

    def sites(self, scope: Scope, limit: int) -> list[SiteFigure]:
        """Return the hosts with the most copies, each with all its cases by status."""
        removed = [work["_id"] for work in self._works.some({"removed": True}, fields={"_id": 1})]
        groups = self._ask(self._filter(scope), group_by_host_stage(self._main_host(), removed))
        return make_site_figures(groups, self._reactions(scope), limit)

    def _reactions(self, scope: Scope) -> dict[str, Document]:
        """Return the results of notices by host. Few cases have one; their histories are read, because no index covers
        them.
        """
        figures = {
            "notices": COUNT_ONE,
            "days": {"$avg": {"$divide": [{"$subtract": [REMOVAL_TIME, NOTICE_TIME]}, MILLISECONDS_PER_DAY]}},
        }
        noticed = {**self._filter(scope), "history.status": CaseStatus.NOTICE_SENT.value}
        stages = [{"$match": noticed}, {"$group": {"_id": self._main_host(), **figures}}]
        return {group["_id"]: group for group in self.table.aggregate(stages, hint="noticed")}

    def hosts(self, limit: int) -> list[tuple[str, int]]:
        """Return the hosts with the most copies, and their number."""
        most = {"$group": {"_id": self._main_host(), "cases": COUNT_ONE}}, *_limit_stages(limit)
        groups = self.table.aggregate([{"$match": self._copies(Scope())}, *most], hint=HOST_INDEX_NAME)
        return [(group["_id"], group["cases"]) for group in groups]

    def works(self, scope: Scope, limit: int) -> list[WorkFigure]:
        # The most copied works are found first, because further figures of a work cost more than counting its copies.
        """Return the works with the most copies."""
        most = self._most_copied(limit) if scope == Scope() else self._most_copied_in(scope, limit)
        groups = self._ask(
            {**self._copies(scope), "work_id": {"$in": most}},
            {
                "$group": {
                    "_id": "$work_id",
                    "cases": COUNT_ONE,
                    "hosts": {"$addToSet": self._main_host()},
                    "largest": {"$max": "$match.share_of_work"},
                }
            },
            {"$sort": {"cases": -1, "_id": 1}},
        )
        titles = self._titles([group["_id"] for group in groups])
        return [
            WorkFigure(
                work_id=group["_id"],
                title=titles[group["_id"]],
                cases=group["cases"],
                hosts=len(group["hosts"]),
                largest_share=group["largest"],
            )
            for group in groups
        ]

    def of_works(self, ids: Collection[str]) -> dict[str, CopyCount]:
        """Return the number of copies of each of these works that has any."""
        return self._count_copies({id: id for id in ids})

    def of_series(self, names: Collection[str]) -> dict[str, CopyCount]:
        """Return the number of copies of all chapters of each of these series that has any."""
        chapters = self._works.some({"removed": False, "series": {"$in": list(names)}}, fields={"series": 1})
        return self._count_copies({chapter["_id"]: chapter["series"] for chapter in chapters})

    def trends(self, hosts: Collection[str], bounds: Sequence[datetime]) -> dict[str, HostTrend]:
        """Return the copies on each of these hosts that has any, and how many were found from each bound to the
        next.
        """
        since = {
            f"since_{index}": _count_if({"$gte": ["$opened_at", to_milliseconds(bound)]})
            for index, bound in enumerate(bounds)
        }
        by_host = {"$group": {"_id": "$page_host", "copies": COUNT_ONE, "last": {"$max": "$opened_at"}, **since}}
        groups = self._ask({**self._copies(Scope()), "page_host": {"$in": list(hosts)}}, by_host)
        counted = [(group, [*(group[name] for name in since), 0]) for group in groups]
        return {
            group["_id"]: HostTrend(
                copies=group["copies"],
                last=group["last"],
                found=tuple(first - following for first, following in pairwise(numbers)),
            )
            for group, numbers in counted
        }

    def site_taking(self, hosts: Collection[str]) -> SiteTaking:
        """Return how much the copies on these hosts took, by work."""
        wanted = {**self._copies(Scope()), "page_host": {"$in": list(hosts)}}
        return merge_work_takings(self._ask(wanted, *work_taking_stages(NOTICE_TIME, REMOVAL_TIME)))

    def hosts_of_works(self, scope: Scope, limit: int) -> list[Carried]:
        """Return which hosts carry which works, those with the most copies first."""
        together = {"work": "$work_id", "host": self._main_host(), "cluster": "$cluster_id"}
        groups = self._ask(
            self._copies(scope), {"$group": {"_id": together, "cases": COUNT_ONE}}, *_limit_stages(limit)
        )
        return [
            Carried(
                work_id=group["_id"]["work"],
                host=group["_id"]["host"],
                cluster_id=group["_id"].get("cluster"),
                copies=group["cases"],
            )
            for group in groups
        ]

    def _count_copies(self, belongs: Mapping[str, str]) -> dict[str, CopyCount]:
        """Count the copies of these works, summed by the name that each belongs to."""
        counts: dict[str, CopyCount] = {}
        by_work = {"$group": {"_id": "$work_id", "copies": COUNT_ONE, "last": {"$max": "$opened_at"}}}
        ids = list(belongs)
        for start in range(0, len(ids), MAX_WORKS_PER_QUERY):
            wanted = {**self._copies(Scope()), "work_id": {"$in": ids[start : start + MAX_WORKS_PER_QUERY]}}
            for group in self._ask(wanted, by_work):
                name, count = belongs[group["_id"]], CopyCount(copies=group["copies"], last=group["last"])
                before = counts.get(name)
                counts[name] = count if before is None else before.with_others(count)
        return counts

    def _most_copied_in(self, scope: Scope, limit: int) -> list[str]:
        by_work = {"$group": {"_id": "$work_id", "cases": COUNT_ONE}}
        return [group["_id"] for group in self._ask(self._copies(scope), by_work, *_limit_stages(limit))]

    def _most_copied(self, limit: int) -> list[str]:
        """Return the most copied works of all cases.

        Works are counted in the order of their number of opened cases, until the rest has fewer.
        """
        ranking: list[tuple[int, str]] = []
        for work_ids, bound in self._tallies.batches(4 * limit):
            wanted = {**self._copies(Scope()), "work_id": {"$in": work_ids}}
            groups = self._ask(wanted, {"$group": {"_id": "$work_id", "cases": COUNT_ONE}})
            ranking = sorted([*ranking, *((-group["cases"], group["_id"]) for group in groups)])[:limit]
            if len(ranking) == limit and -ranking[-1][0] >= bound:
                break
        return [work_id for _, work_id in ranking]

    def _titles(self, work_ids: Sequence[str]) -> dict[str, str]:
        """Return the title of each work from its newest case. Reading it from every case would take most of the
        time.
        """
        newest = (
            (id, self.table.some({"work_id": id}, sort=NEWEST_FIRST, limit=1, fields=TITLE_PROJECTION))
            for id in work_ids
        )
        return {id: case["work_title"] for id, (case,) in newest}

    def _ask(self, filter: Document, *stages: Document) -> list[Document]:
        hint = next((index for field, index in INDEX_HINTS.items() if field in filter), None)
        return self.table.aggregate([{"$match": filter}, *stages], hint=hint)

    def _of_works(self, cases: Iterable[Document], fields: Document) -> dict[str, Document]:
        """Return these fields of the works that these cases copy, by id."""
        works_by_id: dict[str, Document] = {}
        ids = sorted({case["work_id"] for case in cases})
        for start in range(0, len(ids), MAX_WORKS_PER_QUERY):
            works = self._works.some({"_id": {"$in": ids[start : start + MAX_WORKS_PER_QUERY]}}, fields=fields)
            works_by_id |= {work["_id"]: work for work in works}
        return works_by_id

    def _filter(self, scope: Scope) -> Document:
        opened: Document = {}
        if scope.since:
            opened["$gte"] = to_milliseconds(scope.since)
        if scope.until:
            opened["$lt"] = to_milliseconds(scope.until)
        hosts = mirror_group(scope.host, self._mirrors.mains()) if scope.host else ()
        wanted = {
            "opened_at": opened or None,
            "page_host": {"$in": hosts} if hosts else None,
            "work_id": scope.work_id,
            "$and": None if scope.holder is None else [{"work_id": {"$in": self._held_works(scope.holder)}}],
            "match.level": None if scope.level is None else scope.level.value,
            "status": _status_filter(scope),
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def _held_works(self, holder: str) -> list[str]:
        """Return the works of a holder that ever had a case."""
        return self._tallies.with_cases(find_owned_ids(self._works, holder))

    def _copies(self, scope: Scope) -> Document:
        """Return the filter for copies: cases that are neither dismissed nor licensed."""
        return {"status": COPY_STATUS_FILTER, **self._filter(scope), "licensed": False}

    def _main_host(self) -> Document | str:
        """Return the expression for the host of a case, or the main host that it mirrors."""
        mirrors: dict[str, list[str]] = {}
        for host, main in self._mirrors.mains().items():
            mirrors.setdefault(main, []).append(host)
        # `$literal` prevents that a name is parsed as an operator.
        branches = [
            {"case": {"$in": ["$page_host", {"$literal": hosts}]}, "then": {"$literal": main}}
            for main, hosts in mirrors.items()
        ]
        return {"$switch": {"branches": branches, "default": "$page_host"}} if branches else "$page_host"


def _status_filter(scope: Scope) -> Document | str | None:
    if scope.status is not None:
        return scope.status.value
    return CONFIRMED_STATUS_FILTER if scope.confirmed else None


def _move_filter(scope: Scope, person: str | None) -> Document:
    """Return the filter for the moves of a month table, after the history was unwound."""
    at = {"$gte": scope.since and to_milliseconds(scope.since), "$lt": scope.until and to_milliseconds(scope.until)}
    wanted = {
        "history.status": {"$in": [status.value for status in COUNTED_MOVES]},
        "history.at": {bound: moment for bound, moment in at.items() if moment} or None,
        "history.by": person,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _limit_stages(limit: int) -> Sequence[Document]:
    """Return the stages that keep the groups with the most cases."""
    return {"$sort": {"cases": -1, "_id": 1}}, {"$limit": limit}


def _count_if(condition: Document) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}
