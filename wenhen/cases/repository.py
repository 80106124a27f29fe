"""Store cases, and the filters that users save. `wenhen.cases.case_updates` applies decisions to cases."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Unpack, cast

from pymongo.operations import UpdateMany, UpdateOne

from matcher.model import Match
from wenhen.cases.case_queries import (
    CASE_INDEXES,
    MAX_INT64,
    SORT_KEYS,
    build_case_filter,
    index_for_count,
    index_for_groups,
    index_for_keys,
    index_for_list,
    range_filters,
)
from wenhen.cases.case_updates import CaseTallies, DecidedCases, move_cases_to_work
from wenhen.cases.model import Case, CaseConditions, CaseKey, CaseOrder, CaseStatus, SavedFilter
from wenhen.cases.rules import KEPT_FIELDS, PURSUED_STATUSES, case_worth
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import Counters
from wenhen.kit.mongo.table import BATCH_DOCUMENTS, OpenDatabase, Records, Table, TableSpec, field_index
from wenhen.kit.text import search_terms
from wenhen.works.model import Work
from wenhen.works.repository import WORKS, find_owned_ids

# Cases in MongoDB.


CASES = TableSpec(
    name="cases",
    # `before` stores the state before the last decision, `batch` the id of that decision. `licensed`, `assigned` and
    # `terms` serve filters, `worth` serves sorting.
    schema=schema_of(
        Case,
        before={"bsonType": "object"},
        batch={"bsonType": ["string", "null"]},
        licensed={"bsonType": "bool"},
        assigned={"bsonType": "bool"},
        terms={"bsonType": "array"},
        worth={"bsonType": "double"},
    ),
    indexes=CASE_INDEXES,
)
# Fields that a later match preserves: those of the rule, and fields derived from them.
PRESERVED_FIELDS = ("_id", "assigned", *KEPT_FIELDS)
PAGE_INDEX_NAME = "page_id_1_number_-1"  # index name
SMALL_RANGE_DIVISOR = 4  # a range below 1/4 of all cases is faster to read and sort than a scan in sort order
CASE_KEY_PROJECTION = {"_id": 0, "number": 1, "page_id": 1, "cluster_id": 1, "page_host": 1, "work_id": 1}


class Cases(DecidedCases):
    """Store cases by page and work, with numbers from 1 for users."""

    declared = CASES

    def __init__(self, database: OpenDatabase, counters: Counters) -> None:
        super().__init__(database)
        self.tallies = CaseTallies(database)
        self._counters = counters
        self._works = Table(database, WORKS)

    def complete_old(self) -> None:
        """Add derived fields to cases of earlier versions. This is fast if there are none."""
        while old := self.table.some({"worth": None}, limit=BATCH_DOCUMENTS):
            self.table.write_all(
                [UpdateOne({"_id": document["_id"]}, {"$set": _derived_fields(document)}) for document in old]
            )
        uncredited = {"licence_id": {"$type": "string"}, "credited": False, "licensed": True}
        self.table.update_all(uncredited, {"$set": {"licensed": False}})

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        """Store a case, or update the existing one with its id. The second value is True for a new case.

        An existing case keeps its number, status, decision, assignee and opening time. A quiet case that has grown
        becomes a lead.
        """
        return self.open_or_update_all([case])[0]

    def open_or_update_all(self, cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        """Do the same for many cases with different ids, in the same order."""
        if not cases:
            return []
        documents = {document["_id"]: document for document in map(_new_case_document, cases)}
        known = self._known_ids(list(documents))
        new = [document for id, document in documents.items() if id not in known]
        if new:
            # Numbers are taken only when needed. Concurrent openings of a case leave a gap, but never duplicate
            # numbers.
            numbers = self._counters.take("case", len(new))
            self.tallies.count_new(Counter(document["work_id"] for document in new))
            for number, document in zip(numbers, new, strict=True):
                document["number"] = number + 1
            known |= {new[index]["_id"] for index in self.table.add_all(new)}
        updated = self._update_all([document for id, document in documents.items() if id in known])
        return [
            (updated[id], False) if id in known else (from_document(Case, document), True)
            for id, document in documents.items()
        ]

    def _known_ids(self, ids: Sequence[str]) -> set[str]:
        return {document["_id"] for document in self.table.some({"_id": {"$in": ids}}, fields={"_id": 1})}

    def _update_all(self, documents: Sequence[Document]) -> dict[str, Case]:
        """Update existing cases with new matches, and return them by id. Raises `NotFound` if one was removed."""
        if not documents:
            return {}
        newer = {
            document["_id"]: {name: value for name, value in document.items() if name not in PRESERVED_FIELDS}
            for document in documents
        }
        self.table.write_all([UpdateOne({"_id": id}, {"$set": fields}) for id, fields in newer.items()])
        updated = {document["_id"]: document for document in self.table.some({"_id": {"$in": list(newer)}})}
        for id in newer:
            if id not in updated:
                raise NotFound("store.no_case", id=id)
        return {id: self.wake_case(from_document(Case, document)) for id, document in updated.items()}

    def mark_absent(self, ids: Collection[str], moment: datetime, *, common: bool = False) -> None:
        """Mark these cases as absent after a later match no longer contains the copy.

        common: the text is still there, but is common to many works.
        """
        marked = {"present": False, "common": common, "updated_at": to_milliseconds(moment)}
        if ids:
            self.table.update_all({"_id": {"$in": list(ids)}, "present": True}, {"$set": marked})

    def set_clusters(self, clusters: Mapping[str, str | None]) -> None:
        """Set the cluster of the cases of these pages.

        clusters: current cluster id by page id.
        """
        if not clusters:
            return
        which = {"page_id": {"$in": list(clusters)}}
        pages = {
            document["page_id"]
            for document in self.table.some(which, fields={"_id": 0, "page_id": 1}, hint=PAGE_INDEX_NAME)
        }
        self.table.write_all(
            [UpdateMany({"page_id": page}, {"$set": {"cluster_id": clusters[page]}}) for page in sorted(pages)]
        )

    def set_work_title(self, work_id: str, title: str) -> None:
        """Set the title of a work in all of its cases."""
        told_otherwise = {"work_id": work_id, "work_title": {"$ne": title}}
        while old := self.table.some(told_otherwise, limit=BATCH_DOCUMENTS, fields={"page_title": 1, "page_url": 1}):
            changes = [
                UpdateOne(
                    {"_id": document["_id"]},
                    {"$set": {"work_title": title, "terms": _case_terms({**document, "work_title": title})}},
                )
                for document in old
            ]
            self.table.write_all(changes)

    def move_to(self, work: Work, of_work: str) -> int:
        """Move the cases of `of_work` to another work, and return their number.

        Cases of pages that already have a case of `work` are not moved. Number, status, history and match are kept. An
        interrupted move is completed.
        """
        self.tallies.add_all({work.id: self.table.count({"work_id": of_work})})
        moved = move_cases_to_work(self.table, work, of_work)
        self.set_work_title(work.id, work.title)
        return moved

    def set_licence(self, id: str, licence_id: str | None, credited: bool | None, moment: datetime) -> None:
        """Mark a case as licensed, or as unlicensed with `licence_id` None."""
        marked = {"licence_id": licence_id, "licensed": _is_licensed(licence_id, credited), "credited": credited}
        self.table.update({"_id": id}, {"$set": {**marked, "updated_at": to_milliseconds(moment)}})

    def set_match(self, case: Case, match: Match, full_match: Match | None, moment: datetime) -> bool:
        """Replace the match of a case. Returns False, without a change, if a later match was stored meanwhile."""
        same = {"_id": case.id, "match.matched_at": to_milliseconds(case.match.matched_at)}
        changes = {
            "match": encode(match),
            "found": encode(full_match),
            "worth": _match_worth(encode(match)),
            "updated_at": to_milliseconds(moment),
        }
        return self.table.find_and_change(same, {"$set": changes}) is not None

    def set_counts(self, case: Case, counted: Case) -> None:
        """Replace the counts of a case, unless a later match was stored meanwhile."""
        same = {"_id": case.id, "match.matched_at": to_milliseconds(case.match.matched_at)}
        match = encode(counted.match)
        changes = {"match": match, "found": encode(counted.found), "worth": _match_worth(match)}
        self.table.find_and_change(same, {"$set": changes})
        if case.extent is not None:
            same_extent = {"_id": case.id, "extent.share_of_work": case.extent.share_of_work}
            self.table.find_and_change(same_extent, {"$set": {"extent": encode(counted.extent)}})

    def get(self, id: str) -> Case:
        """Takes the id, or the number as text; raises `NotFound`."""
        document = self.table.one(_id_or_number_filter(id))
        if document is None:
            raise NotFound("store.no_case", id=id)
        return from_document(Case, document)

    def many(self, numbers: Collection[int], *, passages: int = 0) -> dict[int, Case]:
        """Return the existing cases by number, each with at most `passages` passages."""
        wanted = {"number": {"$in": [number for number in numbers if number <= MAX_INT64]}}
        documents = self.table.some(wanted, fields={"match.passages": {"$slice": passages}, "found": 0})
        return {document["number"]: from_document(Case, document) for document in documents}

    def find(
        self, *, order: CaseOrder = CaseOrder.NEWEST, skip: int = 0, limit: int = 50, **where: Unpack[CaseConditions]
    ) -> list[Case]:
        """Return the cases that match. The order DEADLINE excludes cases without a deadline."""
        where = self._with_works(where)
        if where.get("work_ids") == []:
            return []
        return self._read_some(
            build_case_filter(where, order),
            sort=SORT_KEYS[order],
            skip=skip,
            limit=limit,
            hint=index_for_list(where, order),
        )

    def passed_deadlines(self, since: datetime, until: datetime) -> list[Case]:
        """Return cases of any status with a deadline in [since, until), without their passages."""
        gone_by = {"deadline": {"$type": "date", "$gte": to_milliseconds(since), "$lt": to_milliseconds(until)}}
        return self._read_some(gone_by, fields={"match.passages": {"$slice": 0}}, hint="deadline")

    def of_pages(self, page_ids: Collection[str]) -> dict[str, list[Case]]:
        """Return the cases of these pages by page id. Pages without a case are missing."""
        by_page: dict[str, list[Case]] = {}
        for document in self.table.some(
            {"page_id": {"$in": list(page_ids)}}, sort=SORT_KEYS[CaseOrder.NEWEST], hint=PAGE_INDEX_NAME
        ):
            by_page.setdefault(document["page_id"], []).append(from_document(Case, document))
        return by_page

    def pursued_pages(self, page_ids: Collection[str]) -> set[str]:
        """Return the ids of those pages that have a pursued case."""
        which = {
            "page_id": {"$in": list(page_ids)},
            "status": {"$in": [pursued_status.value for pursued_status in PURSUED_STATUSES]},
        }
        return {
            document["page_id"]
            for document in self.table.some(which, fields={"_id": 0, "page_id": 1}, hint=PAGE_INDEX_NAME)
        }

    def keys(
        self, *, order: CaseOrder = CaseOrder.NEWEST, limit: int, **where: Unpack[CaseConditions]
    ) -> list[CaseKey]:
        """Return the keys of the first matching cases. The query is covered by an index."""
        where = self._with_works(where)
        hint = None if order is CaseOrder.DEADLINE else self._narrow_range(where)
        hint = hint or index_for_keys(where, order)
        documents = self.table.some(
            build_case_filter(where, order), sort=SORT_KEYS[order], limit=limit, fields=CASE_KEY_PROJECTION, hint=hint
        )
        for document in documents:
            document.setdefault("cluster_id", None)
        return cast("list[CaseKey]", documents)

    def count(self, **where: Unpack[CaseConditions]) -> int:
        where = self._with_works(where)
        return self.table.count(build_case_filter(where), hint=index_for_list(where))

    def count_by_status(self, **where: Unpack[CaseConditions]) -> dict[CaseStatus, int]:
        """Return the number of matching cases by status. Statuses without cases are missing."""
        where = self._with_works(where)
        if narrow := index_for_count(where):  # faster than grouping
            filters = {status: build_case_filter({**where, "status": status}) for status in CaseStatus}
            counts = {status: self.table.count(filter, hint=narrow) for status, filter in filters.items()}
            return {status: count for status, count in counts.items() if count}
        by_status: list[Document] = [
            {"$match": build_case_filter(where)},
            {"$group": {"_id": "$status", "cases": {"$sum": 1}}},
        ]
        groups = self.table.aggregate(by_status, hint=self._narrow_range(where) or index_for_groups(where))
        return {CaseStatus(group["_id"]): group["cases"] for group in groups}

    def assign(
        self, numbers: Collection[int], assignee: str | None, *, moment: datetime, by: str | None = None
    ) -> None:
        at = to_milliseconds(moment)
        given = {"assigned_at": at, "assigned_by": by} if assignee else {"assigned_at": None, "assigned_by": None}
        changes = {"assignee": assignee, "assigned": assignee is not None, "updated_at": at, **given}
        self.table.update_all({"number": {"$in": [n for n in numbers if n <= MAX_INT64]}}, {"$set": changes})

    def ask(self, numbers: Collection[int], name: str, *, by: str, moment: datetime) -> None:
        """Record the user asked for a second opinion, and who asked. The next decision clears both."""
        changes = {"asked": name, "asked_by": by, "opinion": None, "updated_at": to_milliseconds(moment)}
        self.table.update_all({"number": {"$in": [n for n in numbers if n <= MAX_INT64]}}, {"$set": changes})

    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]:
        """Yield the cases in the order of their numbers."""
        for document in self.table.each(build_case_filter({"status": status}), by="number"):
            yield from_document(Case, document)

    def tally_old(self) -> None:
        """Create the tallies of works, which earlier versions did not have."""
        by_work = self.table.aggregate([{"$group": {"_id": "$work_id", "cases": {"$sum": 1}}}], hint="listed_work")
        self.tallies.add_all({group["_id"]: group["cases"] for group in by_work})

    def _with_works(self, where: CaseConditions) -> CaseConditions:
        """Return the conditions with the works of the holder in place of the holder."""
        holder = where.get("holder")
        if holder is None:
            return where
        works = self.tallies.with_cases(find_owned_ids(self._works, holder))
        return {**where, "holder": None, "work_ids": works}

    def _narrow_range(self, where: CaseConditions) -> str | None:
        """Return the index of the most selective range if it matches a small part of all cases."""
        ranges = range_filters(where)
        least, narrowest = self.table.estimate() // SMALL_RANGE_DIVISOR if ranges else 0, None
        for name, range in ranges.items():
            cases = self.table.count(range, hint=name, most=least + 1)
            if cases <= least:
                least, narrowest = cases, name
        return narrowest


def _new_case_document(case: Case) -> Document:
    """Return the document of a new case."""
    document = to_document(case) | {"present": True}
    return document | _derived_fields(document)


def _derived_fields(document: Document) -> dict[str, Any]:
    """Return the fields for filters and sorting, derived from the rest of the document."""
    return {
        "licensed": _is_licensed(document.get("licence_id"), document.get("credited")),
        "assigned": document.get("assignee") is not None,
        "worth": _match_worth(document["match"]),
        "terms": _case_terms(document),
    }


def _is_licensed(licence_id: str | None, credited: bool | None) -> bool:
    """Return whether a licence covers a case. A reprint without the attribution that it demands is a copy."""
    return licence_id is not None and credited is not False


def _case_terms(document: Document) -> list[str]:
    return search_terms(document.get("page_title"), document["work_title"], document["page_url"])


def _match_worth(match: Document) -> float:
    return case_worth(**{name: match[name] for name in ("share_of_page", "share_of_work", "weight")})


def _id_or_number_filter(id: str) -> Document:
    """Return the filter for a case id or number."""
    if id.isascii() and id.isdecimal() and int(id) <= MAX_INT64:
        return {"number": int(id)}
    return {"_id": id}


# Filters that users save.


SAVED_FILTERS = TableSpec(name="filters", schema=schema_of(SavedFilter), indexes=(field_index("user", "name"),))


class Filters(Records[SavedFilter]):
    """Store saved filters, one per user and name."""

    declared = SAVED_FILTERS
    record_type = SavedFilter

    def put(self, user: str, name: str, query: str, moment: datetime) -> SavedFilter:
        """Save a filter under a name, in place of an earlier one of the user with this name."""
        id = sha256(f"{user}\n{name}".encode("utf-8", "replace")).hexdigest()[:16]
        saved = SavedFilter(id=id, user=user, name=name, query=query, saved_at=to_milliseconds(moment))
        self.table.put(to_document(saved))
        return saved

    def of_user(self, user: str) -> list[SavedFilter]:
        """Return the filters of a user, sorted by name."""
        return self._read_some({"user": user}, sort=[("name", 1)])

    def remove_of(self, user: str) -> None:
        self.table.delete({"user": user})

    def remove(self, id: str, user: str) -> bool:
        """Remove a filter. Returns False if the user has none with this id."""
        return bool(self.table.delete({"_id": id, "user": user}))
