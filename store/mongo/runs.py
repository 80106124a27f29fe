"""What ran, when, and how it ended."""

import secrets
from collections.abc import Mapping
from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.codec import Document, encode, from_document, milliseconds, to_document
from store.mongo.schema import schema_of
from store.mongo.table import Declared, Table, index
from store.records import Run, RunKind

RUNS = Declared(
    name="runs",
    schema=schema_of(Run),
    indexes=(index("-started_at"), index("kind", "-started_at"), index("ended_at", "heartbeat_at")),
)
LOST = "The process that ran it gave no sign of life any more; it was killed, or its machine went down."


class MongoRuns:
    """Runs by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, RUNS, address)

    def start(self, kind: RunKind, subject: str | None, at: datetime) -> Run:
        at = milliseconds(at)
        run = Run(id=secrets.token_hex(8), kind=kind, subject=subject, started_at=at, heartbeat_at=at)
        self.table.insert(to_document(run))
        return run

    def beat(self, id: str, at: datetime, counts: Mapping[str, int]) -> None:
        """Note a sign of life; does nothing to a run that has ended."""
        alive = {"heartbeat_at": milliseconds(at), "counts": encode(counts)}
        self.table.update({"_id": id, "ended_at": None}, {"$set": alive})

    def end(self, id: str, at: datetime, counts: Mapping[str, int], problem: str | None = None) -> None:
        at = milliseconds(at)
        end = {"heartbeat_at": at, "ended_at": at, "counts": encode(counts), "problem": problem}
        self.table.update({"_id": id}, {"$set": end})

    def get(self, id: str) -> Run:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound(f"No run has the id {id}.")
        return from_document(Run, found)

    def recent(self, *, kind: RunKind | None = None, limit: int = 20) -> list[Run]:
        """Return the runs that started last, the newest first."""
        which: Document = {} if kind is None else {"kind": kind.value}
        return [from_document(Run, one) for one in self.table.some(which, sort=[("started_at", -1)], limit=limit)]

    def end_lost(self, older_than: datetime) -> int:
        # A run ended when it was last heard of, which only the server can write in one go for all.
        end = [{"$set": {"ended_at": "$heartbeat_at", "problem": LOST}}]
        return self.table.update_all({"ended_at": None, "heartbeat_at": {"$lt": milliseconds(older_than)}}, end)
