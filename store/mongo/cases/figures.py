"""The figures of the analysis, as aggregations over the cases."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

from pymongo.database import Database

from store.mongo.cases import taken_by_hosts
from store.mongo.cases.case_query import CONFIRMED, COPIES, DAY
from store.mongo.cases.cases import CASES
from store.mongo.cases.cases_ever_opened import Tallies
from store.mongo.cases.site_figures import alike, site_figures
from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Table
from store.mongo.library.works import WORKS
from store.mongo.web.mirrors import MongoMirrors
from store.records import (
    Bin,
    Carried,
    CaseStatus,
    Change,
    ChangeFigure,
    ChartPeriod,
    CopyCount,
    CopyFigures,
    HostTrend,
    Period,
    Scope,
    SiteFigure,
    SiteTaking,
    WorkFigure,
)
from store.rules.cases.chart_periods import start_of
from store.rules.web.mirror_counting import hosts_counted_as

EPOCH: Final = date(1970, 1, 1)
# The day in China on which a case was opened, counted from the epoch; the server's own calendar takes twice the time.
AHEAD: Final = 8 * 3600 * 1000  # of UTC, all the year since 1991
DAY_OF: Final = {"$toInt": {"$floor": {"$divide": [{"$add": [{"$toLong": "$opened_at"}, AHEAD]}, DAY]}}}
ASKED: Final = 10_000  # works in one question
COUNT: Final = {"$sum": 1}
NEWEST: Final = [("number", -1)]
TITLE: Final[Document] = {"_id": 0, "work_title": 1}
BY_HOST, BY_SHARE = "licensed_1_status_1_page_host_1", "licensed_1_status_1_match.share_of_page_1"
# The index to read by the rarest condition; left to itself the server may well choose one that holds less.
HINTS: Final = {"work_id": "listed_work", "page_host": "listed_host", "opened_at": "listed_opened"}


def _last_move(status: CaseStatus) -> Document:
    moves = {"$filter": {"input": "$history", "as": "move", "cond": {"$eq": ["$$move.status", status.value]}}}
    return {"$max": {"$map": {"input": moves, "as": "move", "in": "$$move.at"}}}


# When the last notice was sent, and when the copy was found removed; a case that never came there has none.
NOTICED: Final = {"$ifNull": ["$notice_at", _last_move(CaseStatus.NOTICE_SENT)]}
REMOVED: Final = {"$cond": [{"$eq": ["$status", CaseStatus.REMOVED.value]}, _last_move(CaseStatus.REMOVED), None]}


class MongoFigures:
    """Aggregations over the collection that `MongoCases` keeps."""

    def __init__(self, database: Database[Document], address: str, tallies: Tallies, mirrors: MongoMirrors) -> None:
        self.table = Table(database, CASES, address)
        self._works = Table(database, WORKS, address)
        self._tallies = tallies
        self._mirrors = mirrors

    def over_time(self, scope: Scope, pace: ChartPeriod) -> list[Period]:
        of_a_day = {"$group": {"_id": {"day": DAY_OF, "status": "$status"}, "cases": COUNT}}
        periods: dict[date, Counter[CaseStatus]] = {}
        for group in self._ask(self._filter(scope), of_a_day):
            day = EPOCH + timedelta(days=group["_id"]["day"])
            periods.setdefault(start_of(day, pace), Counter())[CaseStatus(group["_id"]["status"])] += group["cases"]
        return [Period(start=start, cases=periods[start]) for start in sorted(periods)]

    def shares_of_page(self, status: CaseStatus, bins: int) -> list[Bin]:
        # Each column is a range of the index, which is several times quicker than to look at each case.
        filter, columns = self._copies(Scope(status=status)), []
        for at in range(bins):
            share = {"$gte": at / bins} | ({"$lt": (at + 1) / bins} if at < bins - 1 else {})
            cases = self.table.count({**filter, "match.share_of_page": share}, hint=BY_SHARE)
            columns.append(Bin(low=at / bins, high=(at + 1) / bins, cases=cases))
        return columns

    def of_copies(self, scope: Scope, bins: int) -> CopyFigures:
        # It brings numpy, which a command that lists cases can do without.
        from store.mongo.cases.copy_figures import OF_COPY, OF_WORK, copy_figures

        copies = self._ask(self._copies(scope), {"$project": OF_COPY})
        return copy_figures(copies, self._of_works(copies, OF_WORK), bins)

    def changes(self, scope: Scope) -> list[ChangeFigure]:
        gap = {"$subtract": [{"$last": "$$this"}, {"$first": "$$this"}]}
        gaps = {"$map": {"input": {"$ifNull": ["$match.passages.page_gaps", []]}, "in": gap}}
        whole = {"$subtract": ["$match.passages.page_end", "$match.passages.page_start"]}
        length = {"$subtract": [whole, {"$sum": gaps}]}
        groups = self._ask(
            self._copies(scope),
            {"$unwind": "$match.passages"},
            {"$group": {"_id": "$match.passages.change", "passages": COUNT, "characters": {"$sum": length}}},
        )
        found = {group["_id"]: group for group in groups}
        return [
            ChangeFigure(change=one, passages=found[one]["passages"], characters=found[one]["characters"])
            for one in Change
            if one in found
        ]

    def sites(self, scope: Scope, limit: int) -> list[SiteFigure]:
        groups = self._ask(self._filter(scope), alike(self._main_host()))
        return site_figures(groups, self._reactions(scope), limit)

    def _reactions(self, scope: Scope) -> dict[str, Document]:
        """What came of notices, by host. Few cases had one; the history of each is read, which no index holds."""
        figures = {"notices": COUNT, "days": {"$avg": {"$divide": [{"$subtract": [REMOVED, NOTICED]}, DAY]}}}
        noticed = {**self._filter(scope), "history.status": CaseStatus.NOTICE_SENT.value}
        stages = [{"$match": noticed}, {"$group": {"_id": self._main_host(), **figures}}]
        return {group["_id"]: group for group in self.table.aggregate(stages, hint="noticed")}

    def hosts(self, limit: int) -> list[tuple[str, int]]:
        most = {"$group": {"_id": self._main_host(), "cases": COUNT}}, *_first(limit)
        groups = self.table.aggregate([{"$match": self._copies(Scope())}, *most], hint=BY_HOST)
        return [(group["_id"], group["cases"]) for group in groups]

    def works(self, scope: Scope, limit: int) -> list[WorkFigure]:
        # The most copied are found first: what else is told of a work takes more time than to count its copies.
        most = self._most_copied(limit) if scope == Scope() else self._most_copied_in(scope, limit)
        groups = self._ask(
            {**self._copies(scope), "work_id": {"$in": most}},
            {
                "$group": {
                    "_id": "$work_id",
                    "cases": COUNT,
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
        return self._counted({id: id for id in ids})

    def of_series(self, names: Collection[str]) -> dict[str, CopyCount]:
        chapters = self._works.some({"removed": False, "series": {"$in": list(names)}}, fields={"series": 1})
        return self._counted({one["_id"]: one["series"] for one in chapters})

    def trends(self, hosts: Collection[str], bounds: Sequence[datetime]) -> dict[str, HostTrend]:
        since = {
            f"since_{at}": _count_if({"$gte": ["$opened_at", milliseconds(bound)]}) for at, bound in enumerate(bounds)
        }
        by_host = {"$group": {"_id": "$page_host", "copies": COUNT, "last": {"$max": "$opened_at"}, **since}}
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

    def taken(self, hosts: Collection[str]) -> SiteTaking:
        wanted = {**self._copies(Scope()), "page_host": {"$in": list(hosts)}}
        return taken_by_hosts.together(self._ask(wanted, *taken_by_hosts.by_work(NOTICED, REMOVED)))

    def carried(self, scope: Scope, limit: int) -> list[Carried]:
        together = {"work": "$work_id", "host": self._main_host(), "cluster": "$cluster_id"}
        groups = self._ask(self._copies(scope), {"$group": {"_id": together, "cases": COUNT}}, *_first(limit))
        return [
            Carried(
                work_id=group["_id"]["work"],
                host=group["_id"]["host"],
                cluster_id=group["_id"].get("cluster"),
                copies=group["cases"],
            )
            for group in groups
        ]

    def _counted(self, belongs: Mapping[str, str]) -> dict[str, CopyCount]:
        """The copies of these works, summed by what each belongs to."""
        found: dict[str, CopyCount] = {}
        by_work = {"$group": {"_id": "$work_id", "copies": COUNT, "last": {"$max": "$opened_at"}}}
        ids = list(belongs)
        for at in range(0, len(ids), ASKED):
            wanted = {**self._copies(Scope()), "work_id": {"$in": ids[at : at + ASKED]}}
            for group in self._ask(wanted, by_work):
                name, one = belongs[group["_id"]], CopyCount(copies=group["copies"], last=group["last"])
                before = found.get(name)
                found[name] = one if before is None else before.with_others(one)
        return found

    def _most_copied_in(self, scope: Scope, limit: int) -> list[str]:
        by_work = {"$group": {"_id": "$work_id", "cases": COUNT}}
        return [group["_id"] for group in self._ask(self._copies(scope), by_work, *_first(limit))]

    def _most_copied(self, limit: int) -> list[str]:
        """The same of all cases: counted are the works of which most cases were opened, until the rest has fewer."""
        found: list[tuple[int, str]] = []
        for work_ids, bound in self._tallies.batches(4 * limit):
            wanted = {**self._copies(Scope()), "work_id": {"$in": work_ids}}
            groups = self._ask(wanted, {"$group": {"_id": "$work_id", "cases": COUNT}})
            found = sorted([*found, *((-group["cases"], group["_id"]) for group in groups)])[:limit]
            if len(found) == limit and -found[-1][0] >= bound:
                break
        return [work_id for _, work_id in found]

    def _titles(self, work_ids: Sequence[str]) -> dict[str, str]:
        """As the newest case has it; asked for last, as to read it of every case would take most of the time."""
        newest = ((id, self.table.some({"work_id": id}, sort=NEWEST, limit=1, fields=TITLE)) for id in work_ids)
        return {id: case["work_title"] for id, (case,) in newest}

    def _ask(self, filter: Document, *stages: Document) -> list[Document]:
        hint = next((index for field, index in HINTS.items() if field in filter), None)
        return self.table.aggregate([{"$match": filter}, *stages], hint=hint)

    def _of_works(self, cases: Iterable[Document], fields: Document) -> dict[str, Document]:
        """These fields of the works that these cases copy, by id."""
        found: dict[str, Document] = {}
        ids = sorted({one["work_id"] for one in cases})
        for at in range(0, len(ids), ASKED):
            works = self._works.some({"_id": {"$in": ids[at : at + ASKED]}}, fields=fields)
            found |= {one["_id"]: one for one in works}
        return found

    def _filter(self, scope: Scope) -> Document:
        opened: Document = {}
        if scope.since:
            opened["$gte"] = milliseconds(scope.since)
        if scope.until:
            opened["$lt"] = milliseconds(scope.until)
        hosts = hosts_counted_as(scope.host, self._mirrors.mains()) if scope.host else ()
        wanted = {
            "opened_at": opened or None,
            "page_host": {"$in": hosts} if hosts else None,
            "work_id": scope.work_id,
            "match.level": None if scope.level is None else scope.level.value,
            "status": _status(scope),
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def _copies(self, scope: Scope) -> Document:
        """The filter for what counts as a copy: neither dismissed nor licensed."""
        return {"status": COPIES, **self._filter(scope), "licensed": False}

    def _main_host(self) -> Document | str:
        """The host of a case, or the one that it is a mirror of."""
        mirrors: dict[str, list[str]] = {}
        for host, main in self._mirrors.mains().items():
            mirrors.setdefault(main, []).append(host)
        # `$literal`: what a name begins with must not be taken for a command.
        branches = [
            {"case": {"$in": ["$page_host", {"$literal": hosts}]}, "then": {"$literal": main}}
            for main, hosts in mirrors.items()
        ]
        return {"$switch": {"branches": branches, "default": "$page_host"}} if branches else "$page_host"


def _status(scope: Scope) -> Document | str | None:
    if scope.status is not None:
        return scope.status.value
    return CONFIRMED if scope.confirmed else None


def _first(limit: int) -> Sequence[Document]:
    """Stages that keep the groups with most cases."""
    return {"$sort": {"cases": -1, "_id": 1}}, {"$limit": limit}


def _count_if(condition: Document) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}
