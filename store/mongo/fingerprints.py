"""The fingerprints of works and pages, from which the index can be rebuilt.

A document's `_id` is its side and number, for a text that is fingerprinted again has new numbers under the same record
ids, while the old numbers still wait, retired, to be taken out of the index.
"""

from collections.abc import Collection, Iterator, Sequence

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.codec import Document, encode, from_document
from store.mongo.counters import Counters
from store.mongo.schema import schema_of
from store.mongo.table import Declared, Table, index
from store.records import Fingerprint, OwnerKind

FINGERPRINTS = Declared(
    name="fingerprints",
    schema=schema_of(Fingerprint, id={"bsonType": "string"}),
    indexes=(
        index("kind", "number", unique=True),
        index("kind", "retired", "owner_id", "segment"),
        index("id"),
    ),
)
WITHOUT_ARRAYS = {"positions": 0, "values": 0}
BATCH = 200  # fingerprints of long segments are half a megabyte each


class MongoFingerprints:
    """Fingerprints by side and number."""

    def __init__(self, database: Database[Document], address: str, counters: Counters) -> None:
        self.table = Table(database, FINGERPRINTS, address)
        self._counters = counters

    def numbers(self, kind: OwnerKind, count: int) -> range:
        return self._counters.take(_counter(kind), count)

    def reserved(self, kind: OwnerKind) -> int:
        return self._counters.taken(_counter(kind))

    def replace(self, kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        """Store these for the owner and retire all others of its; an empty sequence retires all.

        The new ones are written before the old ones retire: whoever dies in between leaves both, and doing it again
        heals that. Of two who replace at once, the one with the later version or, within a version, the later numbers
        wins. Conflict: the other one was later; what is stored is the other's.
        """
        live = {"kind": kind.value, "owner_id": owner_id, "retired": False}
        if not fingerprints:
            self._retire(live)
            return
        keys = [_key(kind, one.number) for one in fingerprints]
        self.table.put_all([{"_id": key, **encode(one)} for key, one in zip(keys, fingerprints, strict=True)])
        version = fingerprints[0].owner_version
        number = max(one.number for one in fingerprints)
        later = [{"owner_version": {"$gt": version}}, {"owner_version": version, "number": {"$gt": number}}]
        if self.table.one({**live, "$or": later}, fields={"_id": 1}) is not None:
            self._retire({"_id": {"$in": keys}})
            raise Conflict(
                f"Later fingerprints of the {kind} {owner_id} are stored; those of version {version} are void."
            )
        earlier = [{"owner_version": {"$lt": version}}, {"owner_version": version, "number": {"$lt": number}}]
        self._retire({**live, "_id": {"$nin": keys}, "$or": earlier})

    def of(self, kind: OwnerKind, owner_id: str) -> list[Fingerprint]:
        """Return the owner's live fingerprints in the order of their segments."""
        found = self.table.some({"kind": kind.value, "retired": False, "owner_id": owner_id}, sort=[("segment", 1)])
        return [_record(one) for one in found]

    def owners(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, Fingerprint]:
        keys = [_key(kind, number) for number in numbers]
        found = self.table.some({"_id": {"$in": keys}, "retired": False}, fields=WITHOUT_ARRAYS)
        return {one["number"]: _record({**one, "positions": b"", "values": b""}) for one in found}

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        live = {"kind": kind.value, "retired": False}
        return map(_record, self.table.each(live, by="number", batch=BATCH))

    def retired(self, kind: OwnerKind, limit: int, owner_id: str | None = None) -> list[Fingerprint]:
        which: Document = {"kind": kind.value, "retired": True}
        if owner_id is not None:
            which["owner_id"] = owner_id
        return [_record(one) for one in self.table.some(which, limit=limit)]

    def forget(self, ids: Collection[str]) -> None:
        self.table.delete({"id": {"$in": list(ids)}, "retired": True})

    def count(self, kind: OwnerKind) -> int:
        return self.table.count({"kind": kind.value, "retired": False})

    def _retire(self, which: Document) -> None:
        self.table.update_all(which, {"$set": {"retired": True}})


def _counter(kind: OwnerKind) -> str:
    return f"fingerprint:{kind.value}"


def _key(kind: OwnerKind, number: int) -> str:
    return f"{kind.value}:{number}"


def _record(document: Document) -> Fingerprint:
    return from_document(Fingerprint, document)
