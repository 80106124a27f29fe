"""Store exhibits, receipts and time stamps."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from pymongo.database import Database

from wenhen.cases.model import Case, CaseStatus
from wenhen.evidence.model import Exhibit, Receipt, Stamp
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import claim_due_job, has_due_job
from wenhen.kit.mongo.table import Table, TableSpec, field_index

# Exhibits: cases as files that prove them.


EXHIBITS = TableSpec(
    name="exhibits",
    schema=schema_of(Exhibit),
    indexes=(field_index("case_number", "-wanted_at"), field_index("case_id", "-wanted_at"), field_index("due")),
)


class Exhibits:
    """Exhibits by id."""

    def __init__(self, database: Database[Document], address: str, cases: Table) -> None:
        self._cases = cases
        self.table = Table(database, EXHIBITS, address)

    def add(self, exhibit: Exhibit) -> None:
        self.table.insert(to_document(exhibit))

    def get(self, id: str) -> Exhibit:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound("evidence.no_exhibit", id=id)
        return from_document(Exhibit, document)

    def of_case(self, number: int, limit: int = 50) -> list[Exhibit]:
        """The newest first."""
        documents = self.table.some({"case_number": number}, sort=[("wanted_at", -1), ("_id", -1)], limit=limit)
        return [from_document(Exhibit, document) for document in documents]

    def newest_states(self, case_ids: Collection[str]) -> Mapping[str, str]:
        """What the newest exhibit of each case shows; nothing of a case that has none."""
        wanted = {"case_id": {"$in": list(case_ids)}}
        documents = self.table.some(wanted, sort=[("wanted_at", 1)], fields={"case_id": 1, "state": 1})
        return {document["case_id"]: document["state"] for document in documents}

    def changed_cases(self, since: datetime, statuses: Collection[CaseStatus], limit: int) -> list[Case]:
        """Cases of these statuses that were written at this time or later, without their passages, the earliest
        first.
        """
        documents = self._cases.some(
            {"updated_at": {"$gte": to_milliseconds(since)}, "status": {"$in": list(statuses)}},
            sort=[("updated_at", 1)],
            limit=limit,
            fields={"match.passages": {"$slice": 0}},
        )
        return [from_document(Case, document) for document in documents]

    def all_sealed(self) -> Iterator[Exhibit]:
        """Those that keep masked headers."""
        for document in self.table.each({"sealed": {"$ne": None}}, by="_id"):
            yield from_document(Exhibit, document)

    def reseal(self, id: str, before: str, after: str) -> bool:
        """Put the masked headers sealed anew in place of those before, and touch nothing else; False where they are no
        longer those.
        """
        return self.table.update({"_id": id, "sealed": before}, {"$set": {"sealed": after}})

    def receipts_of(self, numbers: Collection[int]) -> Mapping[int, Sequence[Receipt]]:
        """What was given for the exhibits of these cases, the earliest first; nothing of a case that has none."""
        wanted = {"case_number": {"$in": list(numbers)}, "receipts": {"$ne": []}}
        receipts: dict[int, list[Receipt]] = {}
        for document in self.table.some(wanted, sort=[("wanted_at", 1)]):
            exhibit = from_document(Exhibit, document)
            receipts.setdefault(exhibit.case_number, []).extend(exhibit.receipts)
        return {number: sorted(given, key=lambda receipt: receipt.added_at) for number, given in receipts.items()}

    def files(self) -> Iterator[tuple[str, str]]:
        """Ids of those that are made, each with the digest of its file."""
        for document in self.table.each({"file_digest": {"$ne": None}}, by="_id", fields={"file_digest": 1}):
            yield document["_id"], document["file_digest"]

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Exhibit | None:
        """One that is due, with its try counted; nobody else gets it before `until`."""
        return claim_due_job(self.table, Exhibit, now, until)

    def put(self, exhibit: Exhibit) -> None:
        self.table.put(to_document(exhibit))

    def add_receipt(self, id: str, receipt: Receipt) -> Exhibit:
        """Add one, whoever adds another meanwhile. NotFound."""
        document = self.table.find_and_change({"_id": id}, {"$push": {"receipts": encode(receipt)}})
        if document is None:
            raise NotFound("evidence.no_exhibit", id=id)
        return from_document(Exhibit, document)


STAMPS = TableSpec(name="stamps", schema=schema_of(Stamp), indexes=(field_index("due"),))


class Stamps:
    """Time stamps by what they are of."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, STAMPS, address)

    def want(self, stamp: Stamp) -> None:
        try:
            self.table.insert(to_document(stamp))
        except Conflict:
            return

    def many(self, ids: Collection[str]) -> Mapping[str, Stamp]:
        documents = self.table.some({"_id": {"$in": list(ids)}})
        return {document["_id"]: from_document(Stamp, document) for document in documents}

    def of(self, kind: str) -> list[Stamp]:
        """Those whose id begins with ``kind:``, the oldest first."""
        documents = self.table.some({"_id": {"$regex": f"^{re.escape(kind)}:"}}, sort=[("wanted_at", 1), ("_id", 1)])
        return [from_document(Stamp, document) for document in documents]

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Stamp | None:
        """One that is due, with its try counted; nobody else gets it before `until`."""
        return claim_due_job(self.table, Stamp, now, until)

    def put(self, stamp: Stamp) -> None:
        self.table.put(to_document(stamp))
