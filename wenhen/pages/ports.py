"""Declare the stores of pages and template lines. The bulk job replaces them by in-memory stores."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from crawler.capture import Capture
from matcher.model import Candidate
from wenhen.kit.errors import Message
from wenhen.kit.progress import Step
from wenhen.pages.model import Page, PageFilter, PageText, Part
from wenhen.product.store import RoughCount
from wenhen.steps.claims import Claim, Steps


class Pages(Steps[Page], Protocol):
    """Pages, their captures and their candidate works."""

    def put_capture(self, url: str, capture: Capture, *, site_id: str | None, interval_hours: float = 24.0) -> Page:
        """Store a capture. A page that is new or whose body changed gets EXTRACT as its next step.

        The first recrawl is due after `interval_hours`. The interval grows while the text is unchanged and shrinks when
        it changes. The call is idempotent.
        """

    def put_captures(
        self, captures: Sequence[tuple[str, Capture]], *, site_id: str | None, interval_hours: float = 24.0
    ) -> list[Page]:
        """Store many captures, given with their URLs, and return the resulting pages in the same order.

        After an error some captures may be stored. Put all of them again.
        """

    def set_part(self, claim: Claim[Page], part: Part | None) -> bool:
        """Store which part of a multi-page text the page is. Returns False if the claim no longer holds."""

    def set_texts(
        self, read: Sequence[tuple[Claim[Page], PageText]], next_step: Step, lease: timedelta | None
    ) -> list[Claim[Page]]:
        """Store extracted texts and advance the pages. Returns the claims of the advanced pages.

        The version of a page grows when its text changed. A page whose text is unchanged and was looked up before goes
        to DONE.

        lease: as in `go_on`.
        """

    def set_all_candidates(
        self,
        candidates: Sequence[tuple[Claim[Page], Sequence[Candidate]]],
        to: Step,
        lease: timedelta | None,
    ) -> list[Claim[Page]]:
        """Store the retrieved candidates and advance the pages as `go_on` does."""

    def candidates(self, id: str) -> list[Candidate]: ...
    def all_candidates(self, ids: Collection[str]) -> dict[str, list[Candidate]]:
        """Return the candidates of many pages by page id."""

    def gone_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the pages that are gone according to their servers."""

    def sites(self, ids: Collection[str]) -> dict[str, str]:
        """Return the site id of each stored page by page id, or its host if no watched site contains it."""

    def hosts(self, ids: Collection[str]) -> dict[str, str]:
        """Return the host of each stored page by page id."""

    def restart_all(self, ids: Collection[str], step: Step, *, only_from: Collection[Step], due: datetime) -> None:
        """Restart many pages as `restart` does, with the given due time."""

    def captures(self, id: str, *, limit: int = 0) -> list[Capture]:
        """Return the captures of a page, newest first, at most `limit`. 0 means all."""

    def unseen_since(self, moment: datetime, limit: int) -> list[str]:
        """Return ids of pages without a note whose newest capture is older than `moment`, oldest first."""

    def due_recrawls(self, site_id: str, now: datetime, limit: int, *, below: float | None = None) -> list[str]:
        """Return URLs of pages of the site that are due for a recrawl and not gone, longest due first.

        below: hours. If given, include only pages with a shorter recrawl interval.
        """

    def same_body(self, digest: str, limit: int) -> list[Page]:
        """Return pages whose newest capture has this body, in the order of their discovery."""

    def first_with_body(self, digests: Collection[str]) -> dict[str, str]:
        """Return, by body digest, the id of the first page whose newest capture has this body."""

    def of_host(self, host: str, limit: int) -> list[Page]:
        """Return pages of a host in the order of their ids, which is practically random."""

    def mark_gone(self, id: str, moment: datetime, reason: Message) -> bool:
        """Record that a page is gone. Returns False if the page is unknown or was gone before."""

    def mark_back(self, id: str, step: Step) -> bool:
        """Record that a page is back, and restart it at `step` if it was DONE. Returns False if it was not gone."""

    def mark_expired(self, id: str, before: datetime, note: str) -> bool:
        """Set `note` on a page without a note, so that its next extraction takes it through all steps.

        Returns False if the page has a note or its newest capture is not older than `before`.
        """

    def mark_unexpired(self, id: str, note: str, step: Step) -> bool:
        """Remove this note and restart the page at `step` if it was DONE. Returns False if it has another note
        or none.
        """

    def search(self, wanted: PageFilter, *, skip: int = 0, limit: int = 50) -> list[Page]:
        """Return the pages that match, most recently discovered first. A search by title is ordered by title."""

    def count_found(self, wanted: PageFilter, most: int) -> int:
        """Return how many pages match. Counting stops at `most`."""

    def many(self, ids: Collection[str]) -> dict[str, Page]: ...
    def ids(self) -> Iterator[str]: ...
    def count(self) -> int: ...
    def rough_count(self) -> RoughCount:
        """Return the number of pages quickly: exact if it is small, otherwise an estimate."""


class LearnedLines(NamedTuple):
    """Result of counting the lines of several pages of a host.

    new: for each page whether it was counted.
    pages: number of counted pages of the host after the call.
    counts: page counts of the lines after the call.
    """

    new: list[bool]
    pages: int
    counts: Mapping[str, int]


class Templates(Protocol):
    """Count on how many pages of a host a line occurs. Rare lines are dropped, so that a host uses bounded space."""

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:
        """Count the lines of a new page, given by their keys. Another page with the same `text` is not counted.

        least: page count at which a line becomes part of the template. Reaching it records a template change.
        """

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> LearnedLines:
        """Count the lines of several new pages, given as (text, lines). Does not record template changes."""

    def note_changed(self, host: str) -> None:
        """Record that the template of the host has grown."""

    def pages(self, host: str) -> int:
        """Return how many pages of the host were counted."""

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        """Return the page count of each counted line. A count is never too high."""

    def changed_hosts(self, before: datetime) -> list[str]:
        """Return the hosts whose last template change is before `before`."""

    def mark_applied(self, host: str, moment: datetime) -> None:
        """Record that the template changes up to `moment` are applied."""

    def forget(self, before: datetime) -> None:
        """Drop lines that were not counted since `before`, on hosts that had new pages since."""
