"""Define audit entries, their hash chain, exported files, and ranges of case numbers."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that somebody did; it is written once and never changed."""

    id: str
    number: int  # counts from 1 in the order of writing; without a gap since lines have a hash
    at: datetime
    who: str  # name of the user, or of the command's caller
    action: str  # e.g. case.decide, user.role
    subject: str  # what it was done to: case:12, user:shen, site:copies
    old: str | None = None
    new: str | None = None
    token: str | None = None  # id of the API token through which it was done
    token_name: str | None = None
    hash: str | None = None  # over this line and the hash of the one before (`wenhen.audit.model`)


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """As the audit log names it: whoever has a file can ask by its SHA-256 whether it is this one."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, name: str, content: bytes) -> Self:
        """The file of this name and content.

        >>> ExportedFile.of("a.txt", b"abc").sha256[:8]
        'ba7816bf'
        """
        return cls(name, len(content), sha256(content).hexdigest())

    def audit_fields(self) -> dict[str, str | int]:
        """Beside what else a line of the log tells."""
        return {"file": self.name, "size": self.size, "sha256": self.sha256}


# Each line of the audit log carries a hash over itself and the hash of the line before: none can be changed, taken out
# or put in without all that follow.


CHAIN_START: Final = ""  # what stands for the line before the first


class ChainBreakKind(StrEnum):
    """How a log does not fit its chain."""

    CHANGED = "changed"
    GAP = "gap"  # a number is missing
    UNSEALED = "unsealed"  # no hash behind lines that have one


class ChainBreak(NamedTuple):
    """A place where it does not fit. number: of the line."""

    number: int
    how: ChainBreakKind


def chain_hash(entry: AuditEntry, before: str) -> str:
    """The hash of a line. before: that of the line before it."""
    content = (
        *(entry.number, entry.at.astimezone(UTC).isoformat(timespec="milliseconds"), entry.who, entry.action),
        *(entry.subject, entry.old, entry.new, entry.token, entry.token_name),
    )
    return sha256(json.dumps([before, *content], ensure_ascii=True).encode()).hexdigest()


def find_chain_breaks(entries: Iterable[AuditEntry]) -> Iterator[ChainBreak]:
    """Every place that does not fit, in order. entries: all of them, in order; the oldest may be from before lines had
    hashes.
    """
    last: AuditEntry | None = None
    for entry in entries:
        sealed = last is not None and last.hash is not None
        if sealed and last is not None and entry.number != last.number + 1:
            yield ChainBreak(last.number + 1, ChainBreakKind.GAP)  # what follows is taken as it stands
        elif entry.hash is None:
            if sealed:
                yield ChainBreak(entry.number, ChainBreakKind.UNSEALED)
                continue  # what follows is held against the last line that has one
        elif entry.hash != chain_hash(entry, (last.hash if last is not None else None) or CHAIN_START):
            yield ChainBreak(entry.number, ChainBreakKind.CHANGED)
        last = entry


MAX_RANGES: Final = 1_000  # ranges, some 12,000 characters, which the log keeps whole
_OPEN_END: Final = "+"  # behind the last number that is named: there may be more after it


def format_ranges(numbers: Iterable[int], most: int = MAX_RANGES) -> str:
    """Positive numbers in rising order; what goes beyond so many ranges is told by a plus.

    >>> format_ranges([7, 1, 2, 3, 9])
    '1-3 7 9'
    >>> format_ranges([1, 3, 5, 7], most=2)
    '1 3+'
    """
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    written = " ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges[:most])
    return written + _OPEN_END if len(ranges) > most else written


def may_contain_number(ranges: str, number: int) -> bool:
    """Whether the number is among them, or may be where they were too many to be written.

    >>> [may_contain_number("1-3 7 9+", number) for number in (2, 4, 7, 8, 30)]
    [True, False, True, False, True]
    """
    end = 0
    for text in ranges.removesuffix(_OPEN_END).split():
        first, _, last = text.partition("-")
        end = int(last or first)
        if int(first) <= number <= end:
            return True
    return ranges.endswith(_OPEN_END) and number > end
