"""What the screens can set in motion; the composition root does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from matcher.verdict.originality import Originality
from store.records import Change, Level, Licence, WorkDraft


class Refusal(NamedTuple):
    """What of an upload could not be taken: which file or line, and why."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an upload did, by work id."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()


class Text(NamedTuple):
    """One text of an upload."""

    name: str
    text: str


class Pair(NamedTuple):
    """One copied passage, as it stands on either side."""

    page_text: str
    work_text: str
    similarity: float
    change: Change


@dataclass(frozen=True, slots=True)
class Source:
    """A work that a text is copied from."""

    work_id: str
    work_title: str
    level: Level
    score: float
    share_of_page: float
    share_of_work: float
    pairs: tuple[Pair, ...]


class Actions(Protocol):
    """Everything that is more than a read or a write of the store."""

    def import_upload(
        self, name: str, content: bytes, owner: str | None, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Import the works of one file, by the ending of its name; `progress` is told how many are done."""

    def put_work(self, draft: WorkDraft) -> tuple[str, str]:
        """Store one work and look for its copies; its id, and "new", "changed" or "unchanged"."""

    def remove_work(self, id: str) -> None: ...  # NotFound
    def read_upload(self, name: str, content: bytes) -> tuple[list[Text], list[Refusal]]:
        """The texts of one file; nothing is stored."""

    def check(self, text: str) -> list[Source]:
        """The works that a text is copied from, the likeliest first; nothing is stored."""

    def original(self, text: str, published_at: datetime | None) -> Originality:
        """Whether a text is original, and from which works that are not later it is copied; nothing is stored."""

    def accept_discoveries(self, ids: Sequence[str]) -> None: ...  # NotFound
    def refuse_discoveries(self, ids: Sequence[str]) -> None: ...  # NotFound
    def certain_score(self) -> float: ...  # the probability from which a case is certain
    def add_licence(
        self,
        licensee: str,
        url_prefix: str,
        *,
        work_id: str | None,
        valid_from: datetime | None,
        valid_until: datetime | None,
        attribution: str | None,
    ) -> Licence: ...  # BadInput, NotFound
    def withdraw_licence(self, id: str) -> Licence: ...  # NotFound
