"""A report that is made in the background and kept under a name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from store.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReport:
    """Wanted until `made_at`; its file is a blob.

    format: what its file ends with, without the dot; where: the conditions that its cases were chosen by; case_ids:
    cases that are named instead. done: cases that are gathered, of so many; then the file is written.
    """

    id: str
    name: str
    format: str
    by: str
    wanted_at: datetime
    where: Mapping[str, object]
    case_ids: tuple[str, ...]
    due: datetime | None  # when it is tried, or tried again; None: made, or given up
    tries: int = 0
    done: int = 0
    of: int = 0
    problem: Message | None = None  # why the last try failed
    made_at: datetime | None = None
    file_digest: str | None = None
    size: int = 0  # bytes
    cases: int = 0
    numbers: str = ""  # of its cases, as ranges; empty of those that earlier releases made
