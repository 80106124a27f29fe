"""Exhibits: cases as files that prove them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, encode, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.mongo.upkeep.due_work import claim, has_due
from store.records import Case, CaseStatus, Exhibit, Receipt

EXHIBITS = Declared(
    name="exhibits",
    schema=schema_of(Exhibit),
    indexes=(index("case_number", "-wanted_at"), index("case_id", "-wanted_at"), index("due")),
)


class MongoExhibits:
    """Exhibits by id."""

    def __init__(self, database: Database[Document], address: str, cases: Table) -> None:
        self._cases = cases
        self.table = Table(database, EXHIBITS, address)

    def add(self, exhibit: Exhibit) -> None:
        self.table.insert(to_document(exhibit))

    def get(self, id: str) -> Exhibit:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("evidence.no_exhibit", id=id)
        return from_document(Exhibit, found)

    def of_case(self, number: int, limit: int = 50) -> list[Exhibit]:
        found = self.table.some({"case_number": number}, sort=[("wanted_at", -1), ("_id", -1)], limit=limit)
        return [from_document(Exhibit, one) for one in found]

    def newest_states(self, case_ids: Collection[str]) -> Mapping[str, str]:
        wanted = {"case_id": {"$in": list(case_ids)}}
        found = self.table.some(wanted, sort=[("wanted_at", 1)], fields={"case_id": 1, "state": 1})
        return {one["case_id"]: one["state"] for one in found}

    def changed_cases(self, since: datetime, statuses: Collection[CaseStatus], limit: int) -> list[Case]:
        found = self._cases.some(
            {"updated_at": {"$gte": milliseconds(since)}, "status": {"$in": list(statuses)}},
            sort=[("updated_at", 1)],
            limit=limit,
            fields={"match.passages": {"$slice": 0}},
        )
        return [from_document(Case, one) for one in found]

    def sealed(self) -> Iterator[Exhibit]:
        for one in self.table.each({"sealed": {"$ne": None}}, by="_id"):
            yield from_document(Exhibit, one)

    def reseal(self, id: str, before: str, after: str) -> bool:
        return self.table.update({"_id": id, "sealed": before}, {"$set": {"sealed": after}})

    def receipts_of(self, numbers: Collection[int]) -> Mapping[int, Sequence[Receipt]]:
        wanted = {"case_number": {"$in": list(numbers)}, "receipts": {"$ne": []}}
        found: dict[int, list[Receipt]] = {}
        for one in self.table.some(wanted, sort=[("wanted_at", 1)]):
            exhibit = from_document(Exhibit, one)
            found.setdefault(exhibit.case_number, []).extend(exhibit.receipts)
        return {number: sorted(given, key=lambda one: one.added_at) for number, given in found.items()}

    def files(self) -> Iterator[tuple[str, str]]:
        for one in self.table.each({"file_digest": {"$ne": None}}, by="_id", fields={"file_digest": 1}):
            yield one["_id"], one["file_digest"]

    def has_due(self, now: datetime) -> bool:
        return has_due(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Exhibit | None:
        return claim(self.table, Exhibit, now, until)

    def put(self, exhibit: Exhibit) -> None:
        self.table.put(to_document(exhibit))

    def add_receipt(self, id: str, receipt: Receipt) -> Exhibit:
        found = self.table.changed({"_id": id}, {"$push": {"receipts": encode(receipt)}})
        if found is None:
            raise NotFound("evidence.no_exhibit", id=id)
        return from_document(Exhibit, found)
