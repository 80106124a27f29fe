"""Store audit entries, which are inserted and never changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pymongo import IndexModel

from wenhen.audit.model import CHAIN_START, AuditEntry, chain_hash
from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import Records, TableSpec, field_index
from wenhen.kit.rights import ActingToken
from wenhen.kit.text import to_storable

# The audit log: documents that are inserted and never touched again.


AUDIT = TableSpec(
    name="audit",
    schema=schema_of(AuditEntry, files={"bsonType": "array"}),  # SHA-256 of files that its new value names
    indexes=(
        field_index("number", unique=True),
        IndexModel([("files", 1), ("number", -1)], name="files", partialFilterExpression={"files": {"$exists": True}}),
        field_index("at"),
        *(field_index(first, "-number", "at") for first in ("who", "action", "subject", "token")),
    ),
)
MAX_INSERT_TRIES = 1_000  # to be the next, while others write as well
MAX_VALUE_CHARACTERS = 20_000  # characters of an old or a new value
_FILE_DIGEST = re.compile(r'sha256": "([0-9a-f]{64})"')


class Audit(Records[AuditEntry]):
    """Entries in the order of their numbers."""

    declared = AUDIT
    record_type = AuditEntry

    def add_all(
        self,
        moment: datetime,
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
        for _ in range(MAX_INSERT_TRIES):
            if not (left := entries[done:]):
                return
            newest = next(iter(self.find(limit=1)), None)
            number, before = (newest.number, newest.hash or CHAIN_START) if newest else (0, CHAIN_START)
            lines: list[AuditEntry] = []
            for entry in left:
                line = _entry(number + 1, moment, who, action, entry, token)
                line = replace(line, hash=chain_hash(line, before))
                number, before = line.number, line.hash or CHAIN_START
                lines.append(line)
            documents = [to_document(line) | _file_digests(new) for line, (_, _, new) in zip(lines, left, strict=True)]
            done += self.table.insert_while_free(documents)
        if done < len(entries):
            raise Conflict("store.audit_contended")

    def each(self) -> Iterator[AuditEntry]:
        """All of them, the oldest first."""
        for document in self.table.each({}, by="number"):
            yield from_document(AuditEntry, document)

    def find(
        self, *, before: int | None = None, skip: int = 0, limit: int = 50, **wanted: str | datetime | None
    ) -> list[AuditEntry]:
        """The newest first; `since` and later, earlier than `until`, with a number below `before`. sha256: whose new
        value names a file of this digest.
        """
        filter = _filter(**wanted)
        if before is not None:
            filter["number"] = {"$lt": before}
        return self._read_some(filter, sort=[("number", -1)], skip=skip, limit=limit)

    def count(self, **wanted: str | datetime | None) -> int:
        filter = _filter(**wanted)
        return self.table.count(filter) if filter else self.table.estimate()


def _entry(
    number: int,
    moment: datetime,
    who: str,
    action: str,
    changed: tuple[str, str | None, str | None],
    token: ActingToken | None,
) -> AuditEntry:
    subject, old, new = changed
    return AuditEntry(
        id=str(number),
        number=number,
        at=to_milliseconds(moment),
        who=to_storable(who),
        action=action,
        subject=to_storable(subject),
        old=_stored_value(old),
        new=_stored_value(new),
        token=token and token.id,
        token_name=token and to_storable(token.name),
    )


def _file_digests(new: str | None) -> Document:
    """What a line is found by: a help for whoever asks, and no part of the line."""
    named = sorted(set(_FILE_DIGEST.findall(new or "")))
    return {"files": named} if named else {}


def _stored_value(value: str | None) -> str | None:
    return None if value is None else to_storable(value)[:MAX_VALUE_CHARACTERS]


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
    times = {"$gte": since and to_milliseconds(since), "$lt": until and to_milliseconds(until)}
    wanted = {
        "who": who,
        "action": action,
        "subject": subject,
        "token": token,
        "files": sha256,
        "at": {name: time for name, time in times.items() if time} or None,
    }
    return {name: value for name, value in wanted.items() if value is not None}
