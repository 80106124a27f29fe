"""Reports that are made in the background and kept."""

from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.mongo.upkeep.due_work import claim, has_due
from store.records import KeptReport

KEPT_REPORTS = Declared(
    name="kept_reports",
    schema=schema_of(KeptReport),
    indexes=(index("-wanted_at", "-_id"), index("due"), index("made_at"), index("file_digest")),
)


class MongoKeptReports:
    """Kept reports by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, KEPT_REPORTS, address)

    def put(self, report: KeptReport) -> None:
        self.table.put(to_document(report))

    def get(self, id: str) -> KeptReport:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("reports.no_kept", id=id)
        return from_document(KeptReport, found)

    def newest(self, limit: int = 50) -> list[KeptReport]:
        found = self.table.some({}, sort=[("wanted_at", -1), ("_id", -1)], limit=limit)
        return [from_document(KeptReport, one) for one in found]

    def remove(self, id: str) -> None:
        self.table.delete({"_id": id})

    def of_file(self, digest: str) -> int:
        return self.table.count({"file_digest": digest})

    def made_before(self, at: datetime) -> list[KeptReport]:
        return [from_document(KeptReport, one) for one in self.table.some({"made_at": {"$lt": milliseconds(at)}})]

    def has_due(self, now: datetime) -> bool:
        return has_due(self.table, now)

    def claim(self, now: datetime, until: datetime) -> KeptReport | None:
        return claim(self.table, KeptReport, now, until)

    def progress(self, id: str, *, done: int, of: int, until: datetime) -> bool:
        return self.table.update({"_id": id}, {"$set": {"done": done, "of": of, "due": milliseconds(until)}})
