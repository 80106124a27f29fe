"""The audit log: documents that are inserted and never touched again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pymongo import IndexModel
from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import ActingToken, AuditEntry
from store.rules.audit_chain import START, chained
from store.rules.storable import storable

AUDIT = Declared(
    name="audit",
    schema=schema_of(AuditEntry, files={"bsonType": "array"}),  # SHA-256 of files that its new value names
    indexes=(
        index("number", unique=True),
        IndexModel([("files", 1), ("number", -1)], name="files", partialFilterExpression={"files": {"$exists": True}}),
        index("at"),
        *(index(first, "-number", "at") for first in ("who", "action", "subject", "token")),
    ),
)
TRIES = 1_000  # to be the next, while others write as well
LONGEST = 20_000  # characters of an old or a new value
_NAMES_FILE = re.compile(r'sha256": "([0-9a-f]{64})"')


class MongoAudit:
    """Entries in the order of their numbers."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, AUDIT, address)

    def add_all(
        self,
        at: datetime,
        who: str,
        action: str,
        entries: Sequence[tuple[str, str | None, str | None]],
        *,
        token: ActingToken | None = None,
    ) -> None:
        """Add lines behind the newest, whose number nobody else can take as well: of two who write at once one goes on
        behind the other.
        """
        done = 0
        for _ in range(TRIES):
            if not (left := entries[done:]):
                return
            newest = next(iter(self.find(limit=1)), None)
            number, before = (newest.number, newest.hash or START) if newest else (0, START)
            lines: list[AuditEntry] = []
            for one in left:
                line = _entry(number + 1, at, who, action, one, token)
                line = replace(line, hash=chained(line, before))
                number, before = line.number, line.hash or START
                lines.append(line)
            documents = [to_document(line) | _files(new) for line, (_, _, new) in zip(lines, left, strict=True)]
            done += self.table.insert_while_free(documents)
        if done < len(entries):
            raise Conflict("store.audit_contended")

    def each(self) -> Iterator[AuditEntry]:
        for one in self.table.each({}, by="number"):
            yield from_document(AuditEntry, one)

    def find(
        self, *, before: int | None = None, skip: int = 0, limit: int = 50, **wanted: str | datetime | None
    ) -> list[AuditEntry]:
        filter = _filter(**wanted)
        if before is not None:
            filter["number"] = {"$lt": before}
        found = self.table.some(filter, sort=[("number", -1)], skip=skip, limit=limit)
        return [from_document(AuditEntry, one) for one in found]

    def count(self, **wanted: str | datetime | None) -> int:
        filter = _filter(**wanted)
        return self.table.count(filter) if filter else self.table.estimate()


def _entry(
    number: int,
    at: datetime,
    who: str,
    action: str,
    changed: tuple[str, str | None, str | None],
    token: ActingToken | None,
) -> AuditEntry:
    subject, old, new = changed
    return AuditEntry(
        id=str(number),
        number=number,
        at=milliseconds(at),
        who=storable(who),
        action=action,
        subject=storable(subject),
        old=_kept(old),
        new=_kept(new),
        token=token and token.id,
        token_name=token and storable(token.name),
    )


def _files(new: str | None) -> Document:
    """What a line is found by: a help for whoever asks, and no part of the line."""
    named = sorted(set(_NAMES_FILE.findall(new or "")))
    return {"files": named} if named else {}


def _kept(value: str | None) -> str | None:
    return None if value is None else storable(value)[:LONGEST]


def _filter(
    *,
    who: Any = None,
    action: Any = None,
    subject: Any = None,
    token: Any = None,
    sha256: Any = None,
    since: Any = None,
    until: Any = None,
) -> Document:
    times = {"$gte": since and milliseconds(since), "$lt": until and milliseconds(until)}
    wanted = {
        "who": who,
        "action": action,
        "subject": subject,
        "token": token,
        "files": sha256,
        "at": {name: time for name, time in times.items() if time} or None,
    }
    return {name: value for name, value in wanted.items() if value is not None}
