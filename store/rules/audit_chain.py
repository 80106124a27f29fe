"""Each line of the audit log carries a hash over itself and the hash of the line before: none can be changed, taken out
or put in without all that follow.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple

from store.records import AuditEntry

START: Final = ""  # what stands for the line before the first


class Break(StrEnum):
    """How a log does not fit its chain."""

    CHANGED = "changed"
    GAP = "gap"  # a number is missing
    UNSEALED = "unsealed"  # no hash behind lines that have one


class Broken(NamedTuple):
    """A place where it does not fit. number: of the line."""

    number: int
    how: Break


def chained(entry: AuditEntry, before: str) -> str:
    """The hash of a line. before: that of the line before it."""
    told = (
        *(entry.number, entry.at.astimezone(UTC).isoformat(timespec="milliseconds"), entry.who, entry.action),
        *(entry.subject, entry.old, entry.new, entry.token, entry.token_name),
    )
    return sha256(json.dumps([before, *told], ensure_ascii=True).encode()).hexdigest()


def breaks(entries: Iterable[AuditEntry]) -> Iterator[Broken]:
    """Every place that does not fit, in order. entries: all of them, in order; the oldest may be from before lines had
    hashes.
    """
    last: AuditEntry | None = None
    for one in entries:
        sealed = last is not None and last.hash is not None
        if sealed and last is not None and one.number != last.number + 1:
            yield Broken(last.number + 1, Break.GAP)  # what follows is taken as it stands
        elif one.hash is None:
            if sealed:
                yield Broken(one.number, Break.UNSEALED)
                continue  # what follows is held against the last line that has one
        elif one.hash != chained(one, (last.hash if last is not None else None) or START):
            yield Broken(one.number, Break.CHANGED)
        last = one
