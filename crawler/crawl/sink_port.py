"""Where a crawl delivers, and what it may ask there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from crawler.crawl.address_counts import CrawlCounts, Found
from crawler.crawl.validators import Validators
from store.messages import Message
from store.records import Capture, Cookie


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
class Remembered:
    """What is known of a page: its body, where it need not be asked for now; else what its server said of the last
    capture, and that capture. `found` is what it was when it was captured, where that was in this very run.
    """

    body: bytes | None = None
    validators: Validators | None = None
    found: Found | None = None
    last: Capture | None = field(default=None, compare=False)


class Sink(Protocol):
    """Called in threads, never on the reactor's. What goes to it many at a time is what came while it was at the ones
    before; where it raises, each of them is tried alone, so that one that is bad keeps back no other.
    """

    def captured(self, arrivals: Sequence[Arrival]) -> Sequence[Found | None]:
        """Store the captures, and queue what follows; what each is to one who knows the page.

        `store.errors.Unavailable` ends the crawl; after any other error a page is counted as not stored and the rest
        goes on.
        """

    def refused(self, url: str, message: Message, reason: str, /) -> None:
        """An address was refused by a rule, or failed after the last try; the reason is the word that it is
        counted by, as of `crawler.crawl.miss_reasons.Reason`.
        """

    def progress(self, counts: CrawlCounts) -> None:
        """Called every second or so, also while nothing arrives, and once at the end."""


@runtime_checkable
class RememberingSink(Sink, Protocol):
    """A sink that knows earlier captures; pages that did not change are then not sent again by their servers."""

    def remembered(self, urls: Sequence[str]) -> Sequence[Remembered]:
        """What is known of the pages at these canonical addresses; of a body that need not be asked for now, the links
        are followed as if it had been.
        """

    def unchanged(self, answers: Sequence[tuple[str, Capture]]) -> Sequence[bytes]:
        """Note that the server said (304) that these pages are as they were captured last; the bodies of those
        captures, whose links are followed again.
        """


@runtime_checkable
class SteeredSink(Sink, Protocol):
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
class VanishingSink(Sink, Protocol):
    """A sink that knows which pages there were."""

    def gone(self, url: str, message: Message, /) -> None:
        """Its server says that what was at this address is no longer there; the sink may never have known it."""


@runtime_checkable
class LearningSink(Sink, Protocol):
    """A sink that keeps what is learned of a site."""

    def needs_browser(self, url: str, /) -> None:
        """The page at this address showed its text in a browser alone; called once."""


@runtime_checkable
class LookingSink(Sink, Protocol):
    """A sink that keeps what a site's pages look like."""

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """The names of classes that most of the fetched pages have, and how many are in which language ("" where none
        is told); called once, at the end.
        """
