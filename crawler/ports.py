"""Define the ports of a crawl: frontier, rate limiter, archive and sink."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple, Protocol, runtime_checkable

from crawler.addresses import scheme_neutral_url
from crawler.capture import Capture, RecordedExchange, Validators, WarcPlace
from crawler.site_access import Cookie
from crawler.skip_reasons import CrawlCounts, PageChange
from wenhen.kit.errors import Message

# What a crawl has still to fetch, and what it has seen: the port.
#
# The life of an address::
#
#     enter ──→ waiting ──(given to a crawler, with a lease)──→ in hand ──→ done
#                  ↑                                              │
#                  └──── given back, or its crawler went away ────┘
#
# An address that was entered once is never entered again; so an address is fetched once, but for those that a crawler
# had in hand when it was killed.


MAX_ADDRESSES_PER_PAGE = 20  # addresses entered for each page that may be captured: link farms are endless
ADDRESS_ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """An address in a frontier: lower ranks come first, equal ones in the order of their coming. What the payload
    holds beside the address is the scheduler's affair.
    """

    id: bytes
    rank: int
    payload: bytes


class FrontierState(StrEnum):
    """How a frontier stands."""

    OPEN = "open"
    FULL = "full"  # as many pages are captured as may be; what was taken is still to be done, all else is left out
    GONE = "gone"  # its server knows nothing of it: never begun, or emptied
    OVER = "over"  # the crawl was ended


@dataclass(frozen=True, slots=True)
class FrontierExchange:
    """What an exchange gave, and how the frontier stands after it."""

    state: FrontierState
    given: tuple[FrontierEntry, ...] = ()
    taken: frozenset[bytes] = frozenset()  # those of the given for whom a page was taken by a crawler that went away
    waiting: int = 0
    in_hand: int = 0  # of all crawlers
    counts: Mapping[str, int] = field(default_factory=dict)  # of all crawlers
    again: frozenset[bytes] = frozenset()  # those of the given that a crawler which went away may have fetched


class PageClaim(StrEnum):
    """Whether a page may be captured."""

    OURS = "ours"
    BEFORE = "before"  # another address led to it
    FULL = "full"


class Frontier(Protocol):
    """Shared by all crawlers of one run. Every method is atomic, and may raise `wenhen.kit.errors.Unavailable`."""

    def begin(self) -> None:
        """Make it, unless it is there."""

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[FrontierEntry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> FrontierExchange:
        """Tell what is done and what was found, keep what is held, add to the counts, and take up to `want` more.

        What is left out is counted as refused by the page limit.
        """

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[PageClaim]:
        """Note that pages (the ids of their addresses, seen from now on) are captured now, each on behalf of an entry;
        the same entry may ask again.
        """

    def give_back(self, entries: Sequence[bytes]) -> None:
        """Put what this crawler held, and will not fetch, back in its place."""


def address_id(url: str) -> bytes:
    """The id of a canonical address, by http and https the same."""
    return blake2b(scheme_neutral_url(url).encode("utf-8", "surrogatepass"), digest_size=ADDRESS_ID_BYTES).digest()


def entry_url(entry: FrontierEntry) -> str:
    """The address of an entry that a scheduler entered."""
    return str(json.loads(entry.payload)["url"])


SLOT_LEASE_SECONDS = 15.0  # seconds after which what a silent crawler was fetching counts no longer
FOLLOW_WINDOW_SECONDS = 0.1  # seconds: no moment further off is given away before there is room


class SlotGrant(NamedTuple):
    """A request may ask the host after so many seconds; one that `follows`, once one of the same crawler's left, in the
    place of that.
    """

    seconds: float
    follows: bool = False


class RateLimiter(Protocol):
    """Shared by all crawlers. Every method is atomic, and may raise `wenhen.kit.errors.Unavailable`."""

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
        """For each request (a name of its own) that wants to ask the host: when it may, each at least `delay` after the
        one before; None for those beyond `most` at a time. What left makes room, and what is held keeps its place.

        Of those beyond, so many `following` ones are given their moment already, if it comes soon and no other
        crawler's waits.
        """

    def rest(self, host: str, seconds: float) -> None:
        """Nobody asks the host for this time."""


# Where every response of a crawl is kept as evidence: the port.


class Archive(Protocol):
    """May be written to by several threads."""

    def write_all(self, answers: Sequence[RecordedExchange]) -> Sequence[WarcPlace | Exception]:
        """Keep them, for good when this returns: where each is, or why it could not be kept, as
        `wenhen.kit.errors.Unavailable`. It is not to be tried again then, as an archive takes nothing back.
        """

    def close(self) -> None:
        """Nothing more comes."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A page that came: its canonical address, what is known of it, its body, what a browser made of it (in UTF-8),
    where one was asked, the archive of its assets, where some were fetched, and the addresses that redirected to it.
    """

    url: str
    capture: Capture
    body: bytes
    rendered: bytes | None = None
    assets: bytes | None = None
    led_here: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What is known of a page: its body, where it need not be asked for now; else what its server said of the last
    capture, and that capture. `found` is what it was when it was captured, where that was in this very run.
    """

    body: bytes | None = None
    validators: Validators | None = None
    found: PageChange | None = None
    last: Capture | None = field(default=None, compare=False)


class Sink(Protocol):
    """Called in threads, never on the reactor's. What goes to it many at a time is what came while it was at the ones
    before; where it raises, each of them is tried alone, so that one that is bad keeps back no other.
    """

    def captured(self, arrivals: Sequence[Arrival]) -> Sequence[PageChange | None]:
        """Store the captures, and queue what follows; what each is to one who knows the page.

        `wenhen.kit.errors.Unavailable` ends the crawl; after any other error a page is counted as not stored and the
        rest goes on.
        """

    def refused(self, url: str, message: Message, reason: str, /) -> None:
        """An address was refused by a rule, or failed after the last try; the reason is the word that it is
        counted by, as of `crawler.skip_reasons.SkipReason`.
        """

    def progress(self, counts: CrawlCounts) -> None:
        """Called every second or so, also while nothing arrives, and once at the end."""


@runtime_checkable
class KnownPagesSink(Sink, Protocol):
    """A sink that knows earlier captures; pages that did not change are then not sent again by their servers."""

    def remembered(self, urls: Sequence[str]) -> Sequence[KnownPage]:
        """What is known of the pages at these canonical addresses; of a body that need not be asked for now, the links
        are followed as if it had been.
        """

    def unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """Note that the server said (304) that these pages are as they were captured last; the bodies of those
        captures, whose links are followed again.
        """


@runtime_checkable
class StoppableSink(Sink, Protocol):
    """A sink that can end a crawl before its end."""

    def leaves_off(self) -> bool:
        """Whether the crawl is to leave off within seconds; asked every second or so. What it has not fetched stays in
        its frontier.
        """


@runtime_checkable
class SessionSink(Sink, Protocol):
    """A sink that keeps a site's session from one crawl to the next."""

    def session(self, cookies: Sequence[Cookie]) -> None:
        """The site changed its cookies; called once, at the end."""


@runtime_checkable
class GonePagesSink(Sink, Protocol):
    """A sink that knows which pages there were."""

    def gone(self, url: str, message: Message, /) -> None:
        """Its server says that what was at this address is no longer there; the sink may never have known it."""


@runtime_checkable
class LearningSink(Sink, Protocol):
    """A sink that keeps what is learned of a site."""

    def needs_browser(self, url: str, /) -> None:
        """The page at this address showed its text in a browser alone; called once."""


@runtime_checkable
class AppearanceSink(Sink, Protocol):
    """A sink that keeps what a site's pages look like."""

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """The names of classes that most of the fetched pages have, and how many are in which language ("" where none
        is told); called once, at the end.
        """
