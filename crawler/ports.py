"""Define the ports of a crawl: frontier, rate limiter, archive and sink, and the counts that it gives them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple, Protocol, runtime_checkable

from crawler.addresses import scheme_neutral_url
from crawler.capture import Capture, RecordedExchange, Validators, WarcPlace
from crawler.site_access import Cookie
from wenhen.kit.errors import Message

# What a crawl gave, by address.


class PageChange(StrEnum):
    """The change of a page that a capture shows."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    RESTED = "rested"  # known, and no request was due


@dataclass(frozen=True, slots=True)
class CrawlCounts:
    """The results of the addresses of a crawl.

    `changes` counts known pages by their change. `refused` counts addresses that a rule kept out, and `failed` those
    whose server did not deliver, by reason. `waiting` counts addresses that were not requested yet.
    """

    fetched: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    changes: Mapping[PageChange, int] = field(default_factory=dict)
    waiting: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int], *, waiting: int = 0) -> "CrawlCounts":
        """Parse the counts of a flat mapping."""
        refused, failed = (
            {name.removeprefix(kind): count for name, count in counts.items() if name.startswith(kind)}
            for kind in ("refused_", "failed_")
        )
        changes = {change: counts[change] for change in PageChange if change in counts}
        return cls(counts.get("fetched", 0), refused, failed, changes, waiting)

    def as_mapping(self) -> dict[str, int]:
        """Return the counts as one flat mapping: fetched, refused, failed, then waiting, changes and every reason, such
        as failed_timeout.
        """
        totals = {"fetched": self.fetched, "refused": sum(self.refused.values()), "failed": sum(self.failed.values())}
        refused = {f"refused_{reason}": count for reason, count in self.refused.items()}
        failed = {f"failed_{reason}": count for reason, count in self.failed.items()}
        waiting = {"waiting": self.waiting} if self.waiting else {}
        return totals | waiting | {str(change): count for change, count in self.changes.items()} | refused | failed


# The frontier: addresses that a crawl has yet to fetch, and those that it has seen.
#
# The life of an address::
#
#     enter ──→ waiting ──(given to a crawler, with a lease)──→ in hand ──→ done
#                  ↑                                              │
#                  └──── given back, or its crawler went away ────┘
#
# An address enters once, so it is fetched once. The exception is an address that a killed crawler had in hand.


MAX_ADDRESSES_PER_PAGE = 20  # addresses per page of the limit: link farms are endless
ADDRESS_ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """An address in a frontier. Lower ranks come first, equal ones in order of arrival. The payload belongs to the
    scheduler.
    """

    id: bytes
    rank: int
    payload: bytes


class FrontierState(StrEnum):
    """The state of a frontier."""

    OPEN = "open"
    FULL = "full"  # the page limit is reached: only taken pages are still done
    GONE = "gone"  # unknown to its server: never begun, or emptied
    OVER = "over"  # the crawl was ended


@dataclass(frozen=True, slots=True)
class FrontierExchange:
    """The answer of an exchange, and the state of the frontier after it."""

    state: FrontierState
    given: tuple[FrontierEntry, ...] = ()
    taken: frozenset[bytes] = frozenset()  # ids of `given` whose page a vanished crawler had taken
    waiting: int = 0
    in_hand: int = 0  # of all crawlers
    counts: Mapping[str, int] = field(default_factory=dict)  # of all crawlers
    again: frozenset[bytes] = frozenset()  # ids of `given` that a vanished crawler may have fetched


class PageClaim(StrEnum):
    """Whether a page may be captured."""

    OURS = "ours"
    BEFORE = "before"  # another address led to it before
    FULL = "full"


class Frontier(Protocol):
    """The port of a frontier that all crawlers of a run share. Every method is atomic, and may raise
    `wenhen.kit.errors.Unavailable`.
    """

    def begin(self) -> None:
        """Create the frontier unless it exists."""

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[FrontierEntry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> FrontierExchange:
        """Report what is done and found, renew the leases of `held`, add counts, and take up to `want` entries.

        What is left out counts as refused by the page limit.
        """

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[PageClaim]:
        """Claim pages for capture, each on behalf of an entry. The page ids count as seen from now on. The same entry
        may ask again.
        """

    def give_back(self, entries: Sequence[bytes]) -> None:
        """Return entries that this crawler held and will not fetch."""


def address_id(url: str) -> bytes:
    """Return the id of a canonical address. It is the same for http and https."""
    return blake2b(scheme_neutral_url(url).encode("utf-8", "surrogatepass"), digest_size=ADDRESS_ID_BYTES).digest()


def entry_url(entry: FrontierEntry) -> str:
    """Return the address of an entry."""
    return str(json.loads(entry.payload)["url"])


SLOT_LEASE_SECONDS = 15.0  # seconds after which requests of a silent crawler no longer count
FOLLOW_WINDOW_SECONDS = 0.1  # seconds: no later moment is granted before a slot is free


class SlotGrant(NamedTuple):
    """A grant to request the host after `seconds`. A grant that `follows` takes the slot that a request of the same
    crawler leaves.
    """

    seconds: float
    follows: bool = False


class RateLimiter(Protocol):
    """The port of a rate limiter that all crawlers share. Every method is atomic, and may raise
    `wenhen.kit.errors.Unavailable`.
    """

    def turn(
        self,
        host: str,
        entering: Sequence[str],
        *,
        left: Sequence[str],
        held: Sequence[str],
        delay: float,
        most: int,
        following: int = 0,
    ) -> list[SlotGrant | None]:
        """Return a grant for each entering request, or None beyond `most` at a time.

        Grants are at least `delay` apart. `left` requests free their slots, and `held` ones keep theirs. Up to
        `following` of the requests beyond `most` get their moment early, if it is near and no other crawler waits.
        """

    def rest(self, host: str, seconds: float) -> None:
        """Keep all crawlers from the host for this time."""


class Archive(Protocol):
    """The port of the archive that holds every response as evidence. Several threads may write to it."""

    def write_all(self, answers: Sequence[RecordedExchange]) -> Sequence[WarcPlace | Exception]:
        """Store exchanges durably. Return the place of each, or the error that prevented it, such as
        `wenhen.kit.errors.Unavailable`.

        A failed exchange must not be tried again, because an archive takes nothing back.
        """

    def close(self) -> None:
        """End the archive."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A fetched page: canonical address, capture, body, rendered page in UTF-8, archive of assets, and redirecting
    addresses.
    """

    url: str
    capture: Capture
    body: bytes
    rendered: bytes | None = None
    assets: bytes | None = None
    led_here: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What is known of a page. The body is there if no request is due. Otherwise there are the validators and the last
    capture.

    `change` tells how this run captured the page, if it did.
    """

    body: bytes | None = None
    validators: Validators | None = None
    change: PageChange | None = None
    last: Capture | None = field(default=None, compare=False)


class Sink(Protocol):
    """The port that takes the results of a crawl. It is called in threads, never on the reactor's.

    A batch holds what arrived during the batch before. If it raises, each item is tried alone, so one bad page holds up
    no other.
    """

    def store_captures(self, arrivals: Sequence[Arrival]) -> Sequence[PageChange | None]:
        """Store captures and queue the next steps. Return the change of each page.

        `wenhen.kit.errors.Unavailable` ends the crawl. After any other error the page counts as not stored, and the
        crawl continues.
        """

    def report_refused(self, url: str, message: Message, reason: str, /) -> None:
        """Note an address that a rule refused, or that failed after the last try.

        reason: the word that it is counted by, as of `crawler.skip_reasons.SkipReason`.
        """

    def progress(self, counts: CrawlCounts) -> None:
        """Note the counts. Called about every second, even while nothing arrives, and once at the end."""


@runtime_checkable
class KnownPagesSink(Sink, Protocol):
    """A sink that knows earlier captures. Servers do not send pages again that did not change."""

    def recall_pages(self, urls: Sequence[str]) -> Sequence[KnownPage]:
        """Return what is known of the pages at these canonical addresses. Links of a returned body are followed as if
        it had been fetched.
        """

    def note_unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """Note that servers reported these pages as unchanged (304). Return the stored bodies, whose links are followed
        again.
        """


@runtime_checkable
class StoppableSink(Sink, Protocol):
    """A sink that can stop a crawl early."""

    def should_leave_off(self) -> bool:
        """Return whether the crawl should stop within seconds. Asked about every second. Unfetched addresses stay in
        the frontier.
        """


@runtime_checkable
class SessionSink(Sink, Protocol):
    """A sink that stores a site's session between crawls."""

    def session(self, cookies: Sequence[Cookie]) -> None:
        """Store changed cookies. Called once, at the end."""


@runtime_checkable
class GonePagesSink(Sink, Protocol):
    """A sink that knows which pages existed."""

    def report_gone(self, url: str, message: Message, /) -> None:
        """Note that a server reported the page at this address as gone. The sink may not know the address."""


@runtime_checkable
class LearningSink(Sink, Protocol):
    """A sink that stores what a crawl learns about its site."""

    def needs_browser(self, url: str, /) -> None:
        """Note that the page at this address shows its text only in a browser. Called once."""


@runtime_checkable
class AppearanceSink(Sink, Protocol):
    """A sink that stores the appearance of a site's pages."""

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Store the classes that most pages have, and the number of pages by language ("" if unknown). Called once, at
        the end.
        """
