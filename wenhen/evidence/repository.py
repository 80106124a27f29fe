"""Store exhibits, receipts and time stamps."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from wenhen.cases.model import Case, CaseStatus
from wenhen.evidence.model import Exhibit, Receipt, Stamp
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.mongo.codec import encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import claim_due_job, has_due_job
from wenhen.kit.mongo.table import OpenDatabase, Records, RecordsById, Table, TableSpec, field_index

# Exhibits of cases.


EXHIBITS = TableSpec(
    name="exhibits",
    schema=schema_of(Exhibit),
    indexes=(field_index("case_number", "-wanted_at"), field_index("case_id", "-wanted_at"), field_index("due")),
)


class Exhibits(RecordsById[Exhibit]):
    """Store exhibits by id."""

    declared = EXHIBITS
    record_type = Exhibit
    unknown_code = "evidence.no_exhibit"

    def __init__(self, database: OpenDatabase, cases: Table) -> None:
        super().__init__(database)
        self._cases = cases

    def add(self, exhibit: Exhibit) -> None:
        self.table.insert(to_document(exhibit))

    def of_case(self, number: int, limit: int = 50) -> list[Exhibit]:
        """Return the exhibits of a case, newest first."""
        return self._read_some({"case_number": number}, sort=[("wanted_at", -1), ("_id", -1)], limit=limit)

    def newest_states(self, case_ids: Collection[str]) -> Mapping[str, str]:
        """Return the state of the newest exhibit by case id. Cases without one are missing."""
        wanted = {"case_id": {"$in": list(case_ids)}}
        documents = self.table.some(wanted, sort=[("wanted_at", 1)], fields={"case_id": 1, "state": 1})
        return {document["case_id"]: document["state"] for document in documents}

    def changed_cases(self, since: datetime, statuses: Collection[CaseStatus], limit: int) -> list[Case]:
        """Return cases of these statuses updated at or after `since`, without passages, earliest first."""
        documents = self._cases.some(
            {"updated_at": {"$gte": to_milliseconds(since)}, "status": {"$in": list(statuses)}},
            sort=[("updated_at", 1)],
            limit=limit,
            fields={"match.passages": {"$slice": 0}},
        )
        return [from_document(Case, document) for document in documents]

    def all_sealed(self) -> Iterator[Exhibit]:
        """Yield the exhibits with sealed headers."""
        for document in self.table.each({"sealed": {"$ne": None}}, by="_id"):
            yield from_document(Exhibit, document)

    def reseal(self, id: str, before: str, after: str) -> bool:
        """Replace the sealed headers. Returns False, without a change, if they are not `before` any more."""
        return self.table.update({"_id": id, "sealed": before}, {"$set": {"sealed": after}})

    def receipts_of(self, numbers: Collection[int]) -> Mapping[int, Sequence[Receipt]]:
        """Return the receipts by case number, earliest first. Cases without one are missing."""
        wanted = {"case_number": {"$in": list(numbers)}, "receipts": {"$ne": []}}
        receipts: dict[int, list[Receipt]] = {}
        for document in self.table.some(wanted, sort=[("wanted_at", 1)]):
            exhibit = from_document(Exhibit, document)
            receipts.setdefault(exhibit.case_number, []).extend(exhibit.receipts)
        return {number: sorted(given, key=lambda receipt: receipt.added_at) for number, given in receipts.items()}

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield (id, file digest) of the created exhibits."""
        for document in self.table.each({"file_digest": {"$ne": None}}, by="_id", fields={"file_digest": 1}):
            yield document["_id"], document["file_digest"]

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Exhibit | None:
        """Claim a due exhibit until `until`, and count the try. Returns None if there is none."""
        return claim_due_job(self.table, Exhibit, now, until)

    def put(self, exhibit: Exhibit) -> None:
        self.table.put(to_document(exhibit))

    def add_receipt(self, id: str, receipt: Receipt) -> Exhibit:
        """Add a receipt. Concurrent calls are safe. Raises `NotFound`."""
        document = self.table.find_and_change({"_id": id}, {"$push": {"receipts": encode(receipt)}})
        if document is None:
            raise NotFound("evidence.no_exhibit", id=id)
        return from_document(Exhibit, document)


STAMPS = TableSpec(name="stamps", schema=schema_of(Stamp), indexes=(field_index("due"),))


class Stamps(Records[Stamp]):
    """Store time stamps by the id of the stamped object."""

    declared = STAMPS
    record_type = Stamp

    def want(self, stamp: Stamp) -> None:
        try:
            self.table.insert(to_document(stamp))
        except Conflict:
            return

    def many(self, ids: Collection[str]) -> Mapping[str, Stamp]:
        documents = self.table.some({"_id": {"$in": list(ids)}})
        return {document["_id"]: from_document(Stamp, document) for document in documents}

    def of(self, kind: str) -> list[Stamp]:
        """Return the time stamps whose id starts with ``kind:``, oldest first."""
        return self._read_some({"_id": {"$regex": f"^{re.escape(kind)}:"}}, sort=[("wanted_at", 1), ("_id", 1)])

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Stamp | None:
        """Claim a due time stamp until `until`, and count the try. Returns None if there is none."""
        return claim_due_job(self.table, Stamp, now, until)

    def put(self, stamp: Stamp) -> None:
        self.table.put(to_document(stamp))
