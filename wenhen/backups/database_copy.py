"""Read and write all collections as BSON as of one time, and replay the oplog."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from bson import Timestamp
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient
from pymongo.client_session import ClientSession
from pymongo.collection import Collection

from wenhen.backups import fsync_lock
from wenhen.backups.fsync_lock import LOCKED_ANSWER
from wenhen.kit.errors import NotFound, Unavailable
from wenhen.kit.mongo.codec import Document
from wenhen.kit.mongo.server_errors import translate_errors
from wenhen.kit.mongo.table import JOURNALED, OpenDatabase

# All collections as they are stored, for a backup: read as of one moment, written back, replayed.


Moment = tuple[int, int]  # oplog time: seconds since 1970, and ordinal within the second


# All collections of a database as BSON, for a backup. A replica set has snapshots and an oplog. A standalone server has
# neither, so it is locked against writes while it is read. A separate process (`fsync_lock`) holds the lock, and
# releases it even if this process is killed.


RAW_CODEC: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)
MAX_BATCH_BYTES: Final = 8_000_000  # bytes of the documents in one message
MAX_BATCH_DOCUMENTS: Final = 1000
REPLAYED_FIELDS: Final = ("op", "o", "o2")  # of an oplog entry; the collection is set separately
WRITE_OPERATIONS: Final = ("i", "u", "d")
COLLECTIONS_MADE_AT_START: Final = frozenset({"marks", "counters"})


class Snapshot:
    """All collections as of one time, by a snapshot session, or while the server is locked."""

    def __init__(self, copying: "Copying", session: ClientSession | None, moment: Moment | None) -> None:
        self._copying = copying
        self._session = session
        self.moment = moment

    def read(self, collection: str) -> Iterator[bytes]:
        """Yield the documents as BSON, in id order."""
        return self._copying.read(collection, session=self._session)


class Copying:
    """The named collections of a database. contents: those whose documents never change."""

    def __init__(
        self,
        client: MongoClient[Document],
        url: str,
        database: OpenDatabase,
        names: Sequence[str],
        contents: Sequence[str],
    ) -> None:
        self._client, self._url = client, url
        self._database, self._address = database
        self._names, self._contents = names, contents

    def collections(self) -> list[str]:
        """Return the collections that must be read as of one time, and are small enough for it."""
        return sorted(set(self._names) - set(self._contents))

    def contents(self) -> list[str]:
        """Return the collections whose documents never change. Read afterwards, they hold all that the others refer
        to.
        """
        return sorted(self._contents)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Return a snapshot of the store. Without an oplog, writes wait until the block ends."""
        with translate_errors(self._address):
            keeps_a_log = self._keeps_a_log()
        if keeps_a_log:
            with self._client.start_session(snapshot=True) as session:
                yield Snapshot(self, session, self._first_moment(session))
        else:
            with _lock_writes(self._url, self._address):
                yield Snapshot(self, None, None)

    def _first_moment(self, session: ClientSession) -> Moment | None:
        """Return the time of a snapshot session. The first read of an existing collection determines it."""
        with translate_errors(self._address):
            for name in self._names:
                find = {"find": name, "limit": 1, "singleBatch": True, "readConcern": {"level": "snapshot"}}
                time = self._database.command(find, session=session)["cursor"].get("atClusterTime")
                if time is not None:
                    return time.time, time.inc
        return None

    def read(self, collection: str, *, session: ClientSession | None = None) -> Iterator[bytes]:
        """Yield the current documents as BSON, in id order."""
        with translate_errors(self._address):
            cursor = self._raw(collection).find({}, sort=[("_id", 1)], hint="_id_", session=session)
            for document in cursor:
                yield bytes(document.raw)

    def write(self, collection: str, documents: Iterable[bytes]) -> int:
        """Insert documents of a backup. Return how many."""
        target = self._raw(collection).with_options(write_concern=JOURNALED)
        count = 0
        with translate_errors(self._address):
            for batch in _batch_documents(documents):
                target.insert_many(batch, ordered=False, bypass_document_validation=True)
                count += len(batch)
        return count

    def is_empty(self) -> bool:
        """Return whether nothing is stored except what the first start creates."""
        with translate_errors(self._address):
            return all(
                self._database[name].find_one({}) is None
                for name in self._names
                if name not in COLLECTIONS_MADE_AT_START
            )

    def clear(self) -> None:
        """Delete what the first start creates."""
        with translate_errors(self._address):
            for name in self._names:
                self._database.get_collection(name, write_concern=JOURNALED).delete_many({})

    def log(self, after: Moment) -> Iterator[tuple[Moment, bytes]]:
        """Yield the oplog entries after a time, in order, each with its time.

        Raises `NotFound` if the server has no oplog, or it no longer reaches back to that time.
        """
        with translate_errors(self._address):
            oplog = self._client["local"]["oplog.rs"]
            first = oplog.find_one({}, sort=[("$natural", 1)]) if self._keeps_a_log() else None
            if first is None or first["ts"] > Timestamp(*after):
                raise NotFound("backup.no_log", address=self._address)
            own_collections = {"$regex": f"^{self._database.name}\\."}
            which = {
                "ts": {"$gt": Timestamp(*after)},
                "$or": [
                    {"ns": own_collections, "op": {"$in": WRITE_OPERATIONS}},
                    {"op": "c", "o.applyOps.ns": own_collections},
                ],
            }
            raw: Collection[RawBSONDocument] = oplog.with_options(codec_options=RAW_CODEC)
            for entry in raw.find(which, sort=[("$natural", 1)]):
                ts = entry["ts"]
                yield (ts.time, ts.inc), bytes(entry.raw)

    def replay(self, entries: Iterable[bytes], until: datetime | None) -> int:
        """Replay oplog entries, up to a time if one is given. Return how many."""
        count = 0
        with translate_errors(self._address):
            for batch in _batch_documents(entries):
                due_entries = [entry for entry in batch if until is None or entry["ts"].as_datetime() <= until]
                writes = [write for entry in due_entries for write in self._writes(entry)]
                if writes:
                    self._client.admin.command({"applyOps": writes})
                count += len(due_entries)
        return count

    def _writes(self, entry: Mapping[str, Any]) -> list[Document]:
        """Return the writes of an entry, for this database, whatever the name of the original one."""
        each = (
            [entry]
            if entry["op"] != "c"
            else [operation for operation in entry["o"]["applyOps"] if operation["op"] in WRITE_OPERATIONS]
        )
        return [
            {
                **{name: operation[name] for name in REPLAYED_FIELDS if name in operation},
                "ns": f"{self._database.name}.{_collection_name(operation)}",
            }
            for operation in each
        ]

    def _keeps_a_log(self) -> bool:
        return "setName" in self._client.admin.command("hello")

    def _raw(self, collection: str) -> Collection[RawBSONDocument]:
        return self._database.get_collection(collection).with_options(codec_options=RAW_CODEC)


def _collection_name(entry: Mapping[str, Any]) -> str:
    return str(entry["ns"]).partition(".")[2]


def _batch_documents(documents: Iterable[bytes]) -> Iterator[list[RawBSONDocument]]:
    batch: list[RawBSONDocument] = []
    size = 0
    for document in documents:
        if batch and (len(batch) == MAX_BATCH_DOCUMENTS or size + len(document) > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(RawBSONDocument(document))
        size += len(document)
    if batch:
        yield batch


@contextmanager
def _lock_writes(url: str, address: str) -> Iterator[None]:
    """Lock the server against writes for the block. Raises `Unavailable` if that fails."""
    holder = subprocess.Popen(
        [sys.executable, "-I", fsync_lock.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin
    assert holder.stdout
    with holder:
        holder.stdin.write(f"{url}\n")
        holder.stdin.flush()
        first_line = holder.stdout.readline().strip()
        if first_line != LOCKED_ANSWER:
            raise Unavailable("backup.not_locked", address=address, error=first_line)
        yield
        holder.stdin.close()
