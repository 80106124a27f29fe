"""Declare the stores of pages and template lines, which the bulk job replaces by stores in memory."""

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
    """The pages, their captures and their candidates."""

    def put_capture(self, url: str, capture: Capture, *, site_id: str | None, interval_hours: float = 24.0) -> Page:
        """Store a capture; a new page, or one whose body changed, gets EXTRACT as its next step.

        The next look is due after `interval_hours`; later and later while the text stays the same, sooner when it
        changes. The same capture again changes nothing.
        """

    def put_captures(
        self, captures: Sequence[tuple[str, Capture]], *, site_id: str | None, interval_hours: float = 24.0
    ) -> list[Page]:
        """The same for many, by their addresses; the pages as they are then, in this order.

        After an error some may be stored; all of them may be put again.
        """

    def set_part(self, claim: Claim[Page], part: Part | None) -> bool:
        """Keep what the page is of a text over several pages; False when the claim no longer holds."""

    def set_texts(
        self, read: Sequence[tuple[Claim[Page], PageText]], next_step: Step, lease: timedelta | None
    ) -> list[Claim[Page]]:
        """Keep the extracted texts and move on; the version of a page grows when its text changed, and one whose text
        did not change (and was looked up before) goes to DONE. The claims of those that moved; lease: as of `go_on`.
        """

    def set_all_candidates(
        self,
        candidates: Sequence[tuple[Claim[Page], Sequence[Candidate]]],
        to: Step,
        lease: timedelta | None,
    ) -> list[Claim[Page]]:
        """Keep what the ranking gave, and move on as `go_on` does."""

    def candidates(self, id: str) -> list[Candidate]: ...
    def all_candidates(self, ids: Collection[str]) -> dict[str, list[Candidate]]:
        """Those of many pages, by their ids."""

    def gone_ids(self, ids: Collection[str]) -> set[str]:
        """Those of the pages whose servers say that they are no longer there."""

    def sites(self, ids: Collection[str]) -> dict[str, str]:
        """The site of each of the pages that are there; of one that no watched site has, its host."""

    def restart_all(self, ids: Collection[str], step: Step, *, only_from: Collection[Step], due: datetime) -> None:
        """As `restart` for many, but due at this time."""

    def captures(self, id: str, *, limit: int = 0) -> list[Capture]:
        """The captures of a page, the newest first; at most `limit` of them, 0 for all."""

    def unseen_since(self, moment: datetime, limit: int) -> list[str]:
        """Pages whose newest capture is older and that have no note, the longest unseen first; ids."""

    def due_recrawls(self, site_id: str, now: datetime, limit: int, *, below: float | None = None) -> list[str]:
        """Addresses of the site's pages whose next look is due, those that are not gone, the longest due first; with
        `below` only those that are looked at more often than every so many hours.
        """

    def same_body(self, digest: str, limit: int) -> list[Page]:
        """Pages whose newest capture has this body, those that were seen first."""

    def first_with_body(self, digests: Collection[str]) -> dict[str, str]:
        """Of each body that any page's newest capture has, the id of the page that was seen first."""

    def of_host(self, host: str, limit: int) -> list[Page]:
        """Pages of a host, in the order of their ids, which is as good as by chance."""

    def mark_gone(self, id: str, moment: datetime, reason: Message) -> bool:
        """Its server says that a page is no longer there; False when it is not known, or was gone before."""

    def mark_back(self, id: str, step: Step) -> bool:
        """It is there again, and is restarted at this step if it was DONE; False when it was not gone."""

    def mark_expired(self, id: str, before: datetime, note: str) -> bool:
        """Give a page that has no note this one, so that it goes its whole way when it is read again; False when it has
        one, or its newest capture is no older than `before`.
        """

    def mark_unexpired(self, id: str, note: str, step: Step) -> bool:
        """Take this note away, and restart the page at this step if it was DONE; False when it has no such note."""

    def search(self, wanted: PageFilter, *, skip: int = 0, limit: int = 50) -> list[Page]:
        """The pages that meet the conditions, the last first seen first; those sought by title in its order."""

    def count_found(self, wanted: PageFilter, most: int) -> int:
        """How many meet the conditions; the counting ends at `most`."""

    def many(self, ids: Collection[str]) -> dict[str, Page]: ...
    def ids(self) -> Iterator[str]: ...
    def count(self) -> int: ...
    def rough_count(self) -> RoughCount:
        """How many there are, at once however many: counted where that is quick, otherwise about."""


class LearnedLines(NamedTuple):
    """What pages of a host were counted together. new: which of them were counted, in their order; pages: of the host
    by then; counts: of their lines by then.
    """

    new: list[bool]
    pages: int
    counts: Mapping[str, int]


class Templates(Protocol):
    """On how many pages of a host a line stands; what is rare is forgotten again, so that a host takes bounded room."""

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:
        """Count the lines of a page that is new, by their keys; another page with the same `text` counts for nothing.

        least: a line that comes to stand on so many pages is noted as a change of the host's template.
        """

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> LearnedLines:
        """Count the lines of several new pages, each given by its text and its lines; changes are not noted."""

    def note_changed(self, host: str) -> None:
        """The template of this host has grown."""

    def pages(self, host: str) -> int:
        """How many pages were counted."""

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        """On how many pages each of these lines stands, where it was counted; never more than the true number."""

    def changed_hosts(self, before: datetime) -> list[str]:
        """Hosts whose template changed, the last time before this moment."""

    def mark_applied(self, host: str, moment: datetime) -> None:
        """The change up to this moment was seen to."""

    def forget(self, before: datetime) -> None:
        """Drop the lines that were not counted on a new page since, of hosts that had new pages since."""
