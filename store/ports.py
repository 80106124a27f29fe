"""The small protocols behind which the servers stand.

Every method may raise `store.errors.Unavailable`; those that take an id raise `NotFound` where they say so. A write
returns when it is journaled and acknowledged by the majority.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from store.records import (
    Candidate,
    Capture,
    Case,
    CaseOrder,
    CaseStatus,
    Fingerprint,
    Level,
    Licence,
    Match,
    OwnerKind,
    Page,
    Problem,
    Run,
    RunKind,
    Site,
    Step,
    Work,
    WorkDraft,
)

T = TypeVar("T")


class Blobs(Protocol):
    """Bodies and texts by the SHA-256 of their content; putting one twice stores it once."""

    def put(self, content: bytes) -> str: ...
    def get(self, digest: str) -> bytes: ...  # NotFound
    def put_text(self, text: str) -> str: ...
    def get_text(self, digest: str) -> str: ...  # NotFound


@dataclass(frozen=True, slots=True)
class Claim(Generic[T]):
    """A record that one worker holds, for one step, until its lease runs out.

    The token makes a write by a holder whose record was restarted or re-claimed meanwhile do nothing.
    """

    id: str
    step: Step
    token: str
    record: T


class Steps(Protocol[T]):
    """What works and pages share: the next step, claimed by one worker at a time."""

    def get(self, id: str) -> T: ...  # NotFound
    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[T] | None:
        """Take the record if `step` is its next step and nobody holds it; counts a try. None: nothing to do."""

    def extend(self, claim: Claim[T], lease: timedelta) -> bool: ...
    def release(self, claim: Claim[T], *, due: datetime, problem: str, counts: bool = True) -> None:
        """Give the record back after a failure, to be tried again at `due`; counts: this was one of its tries."""

    def set_aside(self, claim: Claim[T], problem: str) -> None: ...
    def advance(self, claim: Claim[T], to: Step) -> bool:
        """Move on, due now; False when the claim no longer holds (restarted, or a newer version came in)."""

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Give the record this next step, due now, no tries counted, any claim void; with `only_from` only where its
        present step is among them.
        """

    def due(self, now: datetime, limit: int) -> list[tuple[str, Step]]:
        """Unfinished records that nobody holds and whose time has come, oldest first."""

    def queued(self, ids: Collection[str], until: datetime) -> None:
        """Note that these were put into the queue, so that the sweep leaves them alone until then."""

    def set_aside_ids(self, limit: int) -> list[str]: ...
    def count_by_step(self) -> dict[Step, int]: ...


class Works(Steps[Work], Protocol):
    """The works and their versions."""

    def put(self, draft: WorkDraft, *, note: str | None, step: Step) -> tuple[Work, str]:
        """Store a work; the second value is "new", "changed" (a new version) or "unchanged" (same text and data)."""

    def find_same_text(self, text_digest: str, title: str) -> Work | None: ...
    def find(self, *, query: str | None = None, skip: int = 0, limit: int = 50) -> list[Work]: ...
    def count(self, *, query: str | None = None) -> int: ...
    def many(self, ids: Collection[str]) -> dict[str, Work]: ...
    def ids(self) -> Iterator[str]: ...
    def remove(self, id: str) -> Work:
        """Mark as removed with REMOVE as its next step. NotFound."""

    def set_note(self, id: str, note: str | None) -> None: ...


class Pages(Steps[Page], Protocol):
    """The pages, their captures and their candidates."""

    def put_capture(self, url: str, capture: Capture, *, site_id: str | None) -> Page:
        """Store a capture; a new page, or one whose body changed, gets EXTRACT as its next step."""

    def set_text(
        self,
        claim: Claim[Page],
        *,
        text_digest: str | None,
        length: int,
        title: str | None,
        author: str | None,
        published_at: datetime | None,
        charset: str | None,
        note: str | None,
        next_step: Step,
    ) -> Page | None:
        """Keep the extracted text and move on; the version grows when the text changed, and a page whose text did
        not change (and was looked up before) goes to DONE. None when the claim no longer holds.
        """

    def set_candidates(self, claim: Claim[Page], candidates: Sequence[Candidate], to: Step) -> bool:
        """Keep what the ranking gave, and move on as `advance` does."""

    def candidates(self, id: str) -> list[Candidate]: ...
    def captures(self, id: str, *, limit: int = 0) -> list[Capture]:
        """The captures of a page, the newest first; at most `limit` of them, 0 for all."""

    def unseen_since(self, moment: datetime, limit: int) -> list[str]:
        """Pages whose newest capture is older and that have no note, the longest unseen first; ids."""

    def set_note(self, id: str, note: str | None) -> None: ...
    def find(self, *, skip: int = 0, limit: int = 50) -> list[Page]: ...
    def many(self, ids: Collection[str]) -> dict[str, Page]: ...
    def ids(self) -> Iterator[str]: ...
    def count(self) -> int: ...


class Fingerprints(Protocol):
    """The packed features of works and pages, and the numbers that the indexes know them by."""

    def numbers(self, kind: OwnerKind, count: int) -> range:
        """Reserve `count` numbers in a row that were never used before on this side."""

    def reserved(self, kind: OwnerKind) -> int:
        """How many numbers were ever reserved: at least `count`, at the price of one small read."""

    def replace(self, kind: OwnerKind, owner_id: str, fingerprints: Sequence[Fingerprint]) -> None:
        """Store these for the owner and retire all others of its; an empty sequence retires all."""

    def of(self, kind: OwnerKind, owner_id: str) -> list[Fingerprint]: ...
    def owners(self, kind: OwnerKind, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The live fingerprints with these numbers, packed arrays left empty; numbers of retired ones are absent."""

    def all(self, kind: OwnerKind) -> Iterator[Fingerprint]:
        """Every live fingerprint in the order of its number."""

    def retired(self, kind: OwnerKind, limit: int, owner_id: str | None = None) -> list[Fingerprint]: ...
    def forget(self, ids: Collection[str]) -> None:
        """Delete retired fingerprints whose postings are out of the index."""

    def count(self, kind: OwnerKind) -> int: ...


class Matches(Protocol):
    """What is known of each page against each work."""

    def put(self, match: Match) -> None: ...
    def get(self, id: str) -> Match: ...  # NotFound
    def of_page(self, page_id: str) -> list[Match]: ...
    def of_work(self, work_id: str) -> list[Match]: ...
    def remove(self, ids: Collection[str]) -> None: ...


class Cases(Protocol):
    """The suspected piracy."""

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        """Store a case under its id; number, status, decision and opening time of an existing one stay.

        The second value is True when it is new.
        """

    def mark_absent(self, ids: Collection[str], at: datetime) -> None:
        """A later look no longer shows these copies; they stay, marked."""

    def get(self, id: str) -> Case: ...  # NotFound; takes the id or the number as text
    def find(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
        order: CaseOrder = CaseOrder.NEWEST,
        skip: int = 0,
        limit: int = 50,
    ) -> list[Case]: ...
    def count(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> int: ...
    def count_by_status(
        self,
        *,
        host: str | None = None,
        work_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> dict[CaseStatus, int]:
        """How many cases of each status fit; one without any is left out."""

    def decide(self, id: str, status: CaseStatus, *, by: str, reason: str | None, at: datetime) -> Case: ...  # NotFound
    def undo(self, id: str, *, decided_at: datetime, at: datetime) -> Case | None:
        """Put back what stood before the decision of `decided_at`; None when that is not the last."""

    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]: ...
    def top(self, field: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent values of `page_host` or `work_title` among cases that are not dismissed."""


class Sites(Protocol):
    """The websites that are watched."""

    def put(self, site: Site) -> None: ...
    def get(self, id: str) -> Site: ...  # NotFound
    def all(self) -> list[Site]: ...
    def remove(self, id: str) -> None: ...  # NotFound
    def claim_due(self, now: datetime) -> list[Site]:
        """The sites whose crawl is due; each one's due time is moved on by its interval in the same write."""

    def set_last_run(self, id: str, run_id: str) -> None: ...


class Licences(Protocol):
    """The authorised reprints."""

    def put(self, licence: Licence) -> None: ...
    def all(self) -> list[Licence]: ...
    def remove(self, id: str) -> None: ...  # NotFound
    def covering(self, url: str, work_id: str, at: datetime) -> Licence | None: ...


class Runs(Protocol):
    """The record of crawls, re-matches and rebuilds."""

    def start(self, kind: RunKind, subject: str | None, at: datetime) -> Run: ...
    def beat(self, id: str, at: datetime, counts: Mapping[str, int]) -> None: ...
    def end(self, id: str, at: datetime, counts: Mapping[str, int], problem: str | None = None) -> None: ...
    def get(self, id: str) -> Run: ...  # NotFound
    def recent(self, *, kind: RunKind | None = None, limit: int = 20) -> list[Run]: ...
    def end_lost(self, older_than: datetime) -> int:
        """End runs whose heartbeat stopped before this time, with the reason; the number of them."""


class Problems(Protocol):
    """What was refused or set aside."""

    def put(self, where: str, what: str, reason: str, at: datetime, step: Step | None = None) -> None:
        """Note a refusal; the same one again raises its count."""

    def clear(self, where: str, what: str) -> None: ...
    def recent(self, *, limit: int = 50) -> list[Problem]: ...
    def count(self) -> int: ...


class Marks(Protocol):
    """Small facts by name that must outlive Redis: index generations, the time of the last daily run."""

    def get(self, name: str) -> Mapping[str, object] | None: ...
    def set(self, name: str, value: Mapping[str, object]) -> None: ...
    def claim(self, name: str, now: datetime, every: timedelta) -> bool:
        """True for one caller per period: the named duty is due, and its time has been moved on."""


class Store(Protocol):
    """All of them, opened together."""

    blobs: Blobs
    works: Works
    pages: Pages
    fingerprints: Fingerprints
    matches: Matches
    cases: Cases
    sites: Sites
    licences: Licences
    runs: Runs
    problems: Problems
    marks: Marks

    def prepare(self) -> None:
        """Make collections, validators and indexes where they are missing; safe at every start."""

    def ping(self) -> str:
        """The server's version."""

    def close(self) -> None: ...
