"""The figures of the analysis, as aggregations over the cases."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Final

from pymongo.database import Database

from store.mongo.cases import taking
from store.mongo.cases.case_query import CONFIRMED, COPIES
from store.mongo.cases.cases import CASES
from store.mongo.cases.tallies import Tallies
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
    Delay,
    HostTrend,
    Level,
    Measure,
    Period,
    Scope,
    SiteFigure,
    SiteTaking,
    WorkFigure,
)
from store.rules.china_time import CHINA
from store.rules.web.mirror_counting import hosts_counted_as

ZONE: Final = CHINA.key
DAY: Final = 24 * 3600 * 1000  # milliseconds
ASKED: Final = 10_000  # works in one question
DELAYS: Final = (0, 1, 2, 4, 8, 31, 91, 366)  # days; each bound begins a group
COUNT: Final = {"$sum": 1}
BY_HOST, BY_SHARE = "licensed_1_status_1_page_host_1", "licensed_1_status_1_match.share_of_page_1"
# The index to read by the rarest condition; left to itself the server may well choose one that holds less.
HINTS: Final = {"work_id": "listed_work", "page_host": "listed_host", "opened_at": "listed_opened"}


def _last_move(status: CaseStatus) -> Document:
    moves = {"$filter": {"input": "$history", "as": "move", "cond": {"$eq": ["$$move.status", status.value]}}}
    return {"$max": {"$map": {"input": moves, "as": "move", "in": "$$move.at"}}}


# When the last notice was sent, and when the copy was found removed; a case that never came there has none.
NOTICED: Final = {"$ifNull": ["$notice_at", _last_move(CaseStatus.NOTICE_SENT)]}
REMOVED: Final = {"$cond": [{"$eq": ["$status", CaseStatus.REMOVED.value]}, _last_move(CaseStatus.REMOVED), None]}
# Where the last of equal parts ends, 1 belongs to it: a share of all is not a part of its own.
LAST: Final = 1e-9


class MongoFigures:
    """Aggregations over the collection that `MongoCases` keeps."""

    def __init__(self, database: Database[Document], address: str, tallies: Tallies, mirrors: MongoMirrors) -> None:
        self.table = Table(database, CASES, address)
        self._works = Table(database, WORKS, address)
        self._tallies = tallies
        self._mirrors = mirrors

    def over_time(self, scope: Scope, pace: ChartPeriod) -> list[Period]:
        start = {"$dateTrunc": {"date": "$opened_at", "unit": pace.value, "timezone": ZONE, "startOfWeek": "monday"}}
        name = {"$dateToString": {"date": start, "format": "%Y-%m-%d", "timezone": ZONE}}
        groups = self._ask(
            self._filter(scope), {"$group": {"_id": {"start": name, "status": "$status"}, "cases": COUNT}}
        )
        periods: dict[str, dict[CaseStatus, int]] = {}
        for group in groups:
            key = group["_id"]
            periods.setdefault(key["start"], {})[CaseStatus(key["status"])] = group["cases"]
        return [Period(start=date.fromisoformat(day), cases=periods[day]) for day in sorted(periods)]

    def histogram(self, scope: Scope, measure: Measure, bins: int) -> list[Bin]:
        if measure is Measure.SHARE_OF_PAGE and scope == Scope(status=scope.status):
            return self._ranges(scope, bins)
        place = {"$toInt": {"$multiply": [{"$min": [f"$match.{measure.value}", 1 - LAST]}, bins]}}
        groups = self._ask(self._copies(scope), {"$group": {"_id": place, "cases": COUNT}})
        found = {group["_id"]: group["cases"] for group in groups}
        return [Bin(low=at / bins, high=(at + 1) / bins, cases=found.get(at, 0)) for at in range(bins)]

    def _ranges(self, scope: Scope, bins: int) -> list[Bin]:
        """Each column as a range of the index, which is several times quicker than to look at each case."""
        filter, columns = self._copies(scope), []
        for at in range(bins):
            share = {"$gte": at / bins} | ({"$lt": (at + 1) / bins} if at < bins - 1 else {})
            cases = self.table.count({**filter, "match.share_of_page": share}, hint=BY_SHARE)
            columns.append(Bin(low=at / bins, high=(at + 1) / bins, cases=cases))
        return columns

    def levels(self, scope: Scope) -> dict[Level, int]:
        groups = self._ask(self._copies(scope), {"$group": {"_id": "$match.level", "cases": COUNT}})
        found = {Level(group["_id"]): group["cases"] for group in groups}
        return {level: found[level] for level in Level if level in found}

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

    def delays_and_parts(self, scope: Scope, bins: int) -> tuple[list[Delay], list[int]]:
        seen = {"$min": ["$opened_at", "$capture.fetched_at"]}
        spans = {"starts": "$match.passages.work_start", "ends": "$match.passages.work_end"}
        cases = self._ask(self._copies(scope), {"$project": {"_id": 0, "work_id": 1, "seen": seen, **spans}})
        works = self._of_works(cases, "published_at", "length")
        days: Counter[int] = Counter()
        counts: Counter[int] = Counter()
        for one in cases:
            work = works.get(one["work_id"], {})
            if published := work.get("published_at"):
                days[(one["seen"] - published).days] += 1
            if length := work.get("length"):
                counts.update(_touched(zip(one["starts"], one["ends"], strict=True), length, bins))
        bounds = [None, *DELAYS, None]
        delays = [
            Delay(low=low, high=high, cases=sum(count for day, count in days.items() if _within(day, low, high)))
            for low, high in pairwise(bounds)
        ]
        return delays, [counts[at] for at in range(bins)]

    def sites(self, scope: Scope, limit: int) -> list[SiteFigure]:
        statuses = {f"status_{one.value}": _count_if({"$eq": ["$status", one.value]}) for one in CaseStatus}
        copies = {"$and": [{"$in": ["$status", COPIES["$in"]]}, {"$eq": ["$licensed", False]}]}
        groups = self._ask(
            self._filter(scope),
            {
                "$group": {
                    "_id": self._main_host(),
                    "copies": _count_if(copies),
                    "gone": _count_if({"$and": [copies, {"$eq": ["$present", False]}]}),
                    "works": {"$addToSet": {"$cond": [copies, "$work_id", "$$REMOVE"]}},
                    "notices": _count_if({"$ne": [{"$ifNull": [NOTICED, None]}, None]}),
                    "days": {"$avg": {"$divide": [{"$subtract": [REMOVED, NOTICED]}, DAY]}},
                    "share": {"$avg": {"$cond": [copies, "$match.share_of_page", None]}},
                    **statuses,
                }
            },
            {"$match": {"copies": {"$gt": 0}}},
            {"$sort": {"copies": -1, "_id": 1}},
            {"$limit": limit},
        )
        return [
            SiteFigure(
                host=group["_id"],
                cases={one: count for one in CaseStatus if (count := group[f"status_{one.value}"])},
                gone=group["gone"],
                works=len(group["works"]),
                mean_share_of_page=group["share"],
                notices=group["notices"],
                days_to_removal=group["days"],
            )
            for group in groups
        ]

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
        return taking.together(self._ask(wanted, *taking.by_work(NOTICED, REMOVED)))

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
        newest = ((id, self.table.some({"work_id": id}, sort=[("number", -1)], limit=1)) for id in work_ids)
        return {id: case["work_title"] for id, (case,) in newest}

    def _ask(self, filter: Document, *stages: Document) -> list[Document]:
        hint = next((index for field, index in HINTS.items() if field in filter), None)
        return self.table.aggregate([{"$match": filter}, *stages], hint=hint)

    def _of_works(self, cases: Iterable[Document], *fields: str) -> dict[str, Document]:
        """These fields of the works that these cases copy, by id."""
        found: dict[str, Document] = {}
        ids = sorted({one["work_id"] for one in cases})
        for at in range(0, len(ids), ASKED):
            works = self._works.some({"_id": {"$in": ids[at : at + ASKED]}}, fields=dict.fromkeys(fields, 1))
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


def _touched(spans: Iterable[tuple[int, int]], length: int, bins: int) -> set[int]:
    """The numbers of the equal parts of a work that these spans take some of."""
    # A text that became shorter since leaves passages beyond its end: they count for the last part.
    last = bins - 1
    return {
        at
        for start, end in spans
        for at in range(min(start * bins // length, last), min((end - 1) * bins // length, last) + 1)
    }


def _count_if(condition: Document) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}


def _within(days: int, low: int | None, high: int | None) -> bool:
    return (low is None or days >= low) and (high is None or days < high)
