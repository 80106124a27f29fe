"""The cases: what the machine opened, and what people decided."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack, cast

from pymongo.database import Database
from pymongo.operations import UpdateMany, UpdateOne

from store.errors import NotFound
from store.mongo.cases.case_query import (
    INDEXES,
    MOST,
    ORDERS,
    filter_of,
    hint_of,
    hint_of_groups,
    hint_of_keys,
    narrow_hint_of,
    ranges_of,
)
from store.mongo.cases.cases_ever_opened import Tallies
from store.mongo.cases.cases_of_replaced_works import move_cases
from store.mongo.cases.deciding import DecidedCases
from store.mongo.engine.codec import Document, encode, from_document, milliseconds, to_document
from store.mongo.engine.counters import Counters
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import BATCH, Declared, Table
from store.mongo.engine.terms import terms
from store.records import Case, CaseConditions, CaseKey, CaseOrder, CaseStatus, Match, Work
from store.rules.cases import case_moves
from store.rules.cases.case_order import worth
from store.rules.cases.case_path import PURSUED

CASES = Declared(
    name="cases",
    # `before` is what stood before the last decision, `batch` names that decision; `licensed`, `assigned` and
    # `terms` are what the lists are filtered by, `worth` is what they are sorted by.
    schema=schema_of(
        Case,
        before={"bsonType": "object"},
        batch={"bsonType": ["string", "null"]},
        licensed={"bsonType": "bool"},
        assigned={"bsonType": "bool"},
        terms={"bsonType": "array"},
        worth={"bsonType": "double"},
    ),
    indexes=INDEXES,
)
# What a later look leaves as it is: the rule's fields, and what is derived from them.
KEPT = ("_id", "assigned", *case_moves.KEPT)
BY_PAGE = "page_id_1_number_-1"  # an index
SMALL_PART = 4  # of this many: there a range is read and sorted quicker than an order is walked
KEY = {"_id": 0, "number": 1, "page_id": 1, "cluster_id": 1, "page_host": 1, "work_id": 1}


class MongoCases(DecidedCases):
    """Cases by page and work, numbered from 1 for people."""

    def __init__(self, database: Database[Document], address: str, counters: Counters) -> None:
        self.table = Table(database, CASES, address)
        self.tallies = Tallies(database, address)
        self._counters = counters

    def complete_old(self) -> None:
        """Give cases that an earlier release stored what the lists are filtered by; quick where there are none."""
        while old := self.table.some({"worth": None}, limit=BATCH):
            self.table.write_all([UpdateOne({"_id": one["_id"]}, {"$set": _derived(one)}) for one in old])

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        """As the port says; what is made of an existing case is `store.rules.cases.case_moves.found_again`."""
        return self.open_or_update_all([case])[0]

    def open_or_update_all(self, cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        if not cases:
            return []
        documents = {one["_id"]: one for one in map(_opened, cases)}
        known = self._known(list(documents))
        new = [one for id, one in documents.items() if id not in known]
        if new:
            # Taken only once it is known to be needed; two who open one case at once leave a gap, never a number twice.
            numbers = self._counters.take("case", len(new))
            self.tallies.count_new(Counter(one["work_id"] for one in new))
            for number, one in zip(numbers, new, strict=True):
                one["number"] = number + 1
            known |= {new[at]["_id"] for at in self.table.add_all(new)}
        return [
            (self._updated(one), False) if id in known else (from_document(Case, one), True)
            for id, one in documents.items()
        ]

    def _known(self, ids: Sequence[str]) -> set[str]:
        return {one["_id"] for one in self.table.some({"_id": {"$in": ids}}, fields={"_id": 1})}

    def _updated(self, document: Document) -> Case:
        """Put what was found now into the case that there is."""
        newer = {name: value for name, value in document.items() if name not in KEPT}
        found = self.table.changed({"_id": document["_id"]}, {"$set": newer})
        if found is None:
            raise NotFound("store.no_case", id=document["_id"])
        return self.woken(from_document(Case, found))

    def mark_absent(self, ids: Collection[str], at: datetime, *, common: bool = False) -> None:
        marked = {"present": False, "common": common, "updated_at": milliseconds(at)}
        self.table.update_all({"_id": {"$in": list(ids)}, "present": True}, {"$set": marked})

    def set_clusters(self, clusters: Mapping[str, str | None]) -> None:
        """Most pages have no case, so those that have are looked for first."""
        if not clusters:
            return
        which = {"page_id": {"$in": list(clusters)}}
        pages = {one["page_id"] for one in self.table.some(which, fields={"_id": 0, "page_id": 1}, hint=BY_PAGE)}
        self.table.write_all(
            [UpdateMany({"page_id": page}, {"$set": {"cluster_id": clusters[page]}}) for page in sorted(pages)]
        )

    def set_work_title(self, work_id: str, title: str) -> None:
        told_otherwise = {"work_id": work_id, "work_title": {"$ne": title}}
        while old := self.table.some(told_otherwise, limit=BATCH, fields={"page_title": 1, "page_url": 1}):
            changes = [
                UpdateOne(
                    {"_id": one["_id"]}, {"$set": {"work_title": title, "terms": _terms({**one, "work_title": title})}}
                )
                for one in old
            ]
            self.table.write_all(changes)

    def move_to(self, work: Work, of_work: str) -> int:
        self.tallies.add_all({work.id: self.table.count({"work_id": of_work})})
        moved = move_cases(self.table, work, of_work)
        self.set_work_title(work.id, work.title)
        return moved

    def set_licence(self, id: str, licence_id: str | None, credited: bool | None, at: datetime) -> None:
        marked = {"licence_id": licence_id, "licensed": licence_id is not None, "credited": credited}
        self.table.update({"_id": id}, {"$set": {**marked, "updated_at": milliseconds(at)}})

    def set_match(self, case: Case, match: Match, found: Match | None, at: datetime) -> bool:
        same = {"_id": case.id, "match.matched_at": milliseconds(case.match.matched_at)}
        changes = {
            "match": encode(match),
            "found": encode(found),
            "worth": _worth(encode(match)),
            "updated_at": milliseconds(at),
        }
        return self.table.changed(same, {"$set": changes}) is not None

    def get(self, id: str) -> Case:
        found = self.table.one(_by_id_or_number(id))
        if found is None:
            raise NotFound("store.no_case", id=id)
        return from_document(Case, found)

    def many(self, numbers: Collection[int], *, passages: int = 0) -> dict[int, Case]:
        wanted = {"number": {"$in": [number for number in numbers if number <= MOST]}}
        found = self.table.some(wanted, fields={"match.passages": {"$slice": passages}, "found": 0})
        return {one["number"]: from_document(Case, one) for one in found}

    def find(
        self,
        *,
        order: CaseOrder = CaseOrder.NEWEST,
        skip: int = 0,
        limit: int = 50,
        **where: Unpack[CaseConditions],
    ) -> list[Case]:
        """Return the cases that fit, the last opened first, or in the order given."""
        found = self.table.some(
            filter_of(where, order), sort=ORDERS[order], skip=skip, limit=limit, hint=hint_of(where, order)
        )
        return [from_document(Case, one) for one in found]

    def passed(self, since: datetime, until: datetime) -> list[Case]:
        gone_by = {"deadline": {"$type": "date", "$gte": milliseconds(since), "$lt": milliseconds(until)}}
        found = self.table.some(gone_by, fields={"match.passages": {"$slice": 0}}, hint="deadline")
        return [from_document(Case, one) for one in found]

    def of_pages(self, page_ids: Collection[str]) -> dict[str, list[Case]]:
        by_page: dict[str, list[Case]] = {}
        for one in self.table.some({"page_id": {"$in": list(page_ids)}}, sort=ORDERS[CaseOrder.NEWEST], hint=BY_PAGE):
            by_page.setdefault(one["page_id"], []).append(from_document(Case, one))
        return by_page

    def pursued(self, page_ids: Collection[str]) -> set[str]:
        which = {"page_id": {"$in": list(page_ids)}, "status": {"$in": [one.value for one in PURSUED]}}
        return {one["page_id"] for one in self.table.some(which, fields={"_id": 0, "page_id": 1}, hint=BY_PAGE)}

    def keys(
        self, *, order: CaseOrder = CaseOrder.NEWEST, limit: int, **where: Unpack[CaseConditions]
    ) -> list[CaseKey]:
        hint = None if order is CaseOrder.DEADLINE else self._narrow_range(where)
        hint = hint or hint_of_keys(where, order)
        found = self.table.some(filter_of(where, order), sort=ORDERS[order], limit=limit, fields=KEY, hint=hint)
        for one in found:
            one.setdefault("cluster_id", None)
        return cast("list[CaseKey]", found)

    def count(self, **where: Unpack[CaseConditions]) -> int:
        return self.table.count(filter_of(where), hint=hint_of(where))

    def count_by_status(self, **where: Unpack[CaseConditions]) -> dict[CaseStatus, int]:
        if narrow := narrow_hint_of(where):  # quicker than to group them
            filters = {status: filter_of({**where, "status": status}) for status in CaseStatus}
            counts = {status: self.table.count(filter, hint=narrow) for status, filter in filters.items()}
            return {status: count for status, count in counts.items() if count}
        by_status: list[Document] = [{"$match": filter_of(where)}, {"$group": {"_id": "$status", "cases": {"$sum": 1}}}]
        groups = self.table.aggregate(by_status, hint=self._narrow_range(where) or hint_of_groups(where))
        return {CaseStatus(group["_id"]): group["cases"] for group in groups}

    def assign(self, numbers: Collection[int], assignee: str | None, *, at: datetime) -> None:
        changes = {"assignee": assignee, "assigned": assignee is not None, "updated_at": milliseconds(at)}
        self.table.update_all({"number": {"$in": [n for n in numbers if n <= MOST]}}, {"$set": changes})

    def ask(self, numbers: Collection[int], name: str, *, at: datetime) -> None:
        changes = {"asked": name, "updated_at": milliseconds(at)}
        self.table.update_all({"number": {"$in": [n for n in numbers if n <= MOST]}}, {"$set": changes})

    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]:
        """Yield the cases in the order of their numbers."""
        for one in self.table.each(filter_of({"status": status}), by="number"):
            yield from_document(Case, one)

    def tally_old(self) -> None:
        """Count the cases of each work for the tallies, of which an earlier release kept none."""
        by_work = self.table.aggregate([{"$group": {"_id": "$work_id", "cases": {"$sum": 1}}}], hint="listed_work")
        self.tallies.add_all({group["_id"]: group["cases"] for group in by_work})

    def _narrow_range(self, where: CaseConditions) -> str | None:
        """The index that begins with the range that cuts out least, if that is a small part of all cases."""
        ranges = ranges_of(where)
        least, narrowest = self.table.estimate() // SMALL_PART if ranges else 0, None
        for name, range in ranges.items():
            cases = self.table.count(range, hint=name, most=least + 1)
            if cases <= least:
                least, narrowest = cases, name
        return narrowest


def _opened(case: Case) -> Document:
    """Return a case as it is stored when it is found."""
    document = to_document(case) | {"present": True}
    return document | _derived(document)


def _derived(document: Document) -> dict[str, Any]:
    """What the lists are filtered by, from the rest of the document."""
    return {
        "licensed": document.get("licence_id") is not None,
        "assigned": document.get("assignee") is not None,
        "worth": _worth(document["match"]),
        "terms": _terms(document),
    }


def _terms(document: Document) -> list[str]:
    return terms(document.get("page_title"), document["work_title"], document["page_url"])


def _worth(match: Document) -> float:
    return worth(**{name: match[name] for name in ("share_of_page", "share_of_work", "weight")})


def _by_id_or_number(id: str) -> Document:
    """The filter that finds a case by what people or programs call it."""
    if id.isascii() and id.isdecimal() and int(id) <= MOST:
        return {"number": int(id)}
    return {"_id": id}
