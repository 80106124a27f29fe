"""What use cases need beside what the steps do: the ports of crawls that go on elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pipeline.context import Context
from services.sealed_secrets import Seal
from store.messages import Message

if TYPE_CHECKING:  # it brings what reads addresses and markup
    from crawler.crawl.frontier_port import Entry
    from store.records import Run


class RunFrontier(Protocol):
    """What a run has still to fetch, as those see it who steer the run. Raises `Unavailable`."""

    def leave(self) -> int:
        """Take the crawler of this name off the run; how many it still has."""

    def waiting(self) -> Iterator["Entry"]:
        """What no crawler has in hand yet, in its order."""

    def drop(self, ids: Sequence[bytes]) -> int:
        """Leave out what still waits of these; how many did."""

    def end(self) -> dict[str, int]:
        """Forget what was still to fetch; the counts of all crawlers."""


class Surveyed(NamedTuple):
    """What a site offers to those who look for its pages."""

    title: str
    sitemaps: Sequence[str]
    feeds: Sequence[str]
    pages: int  # that the sitemaps and feeds name
    problem: Message | None  # why its front page could not be read


class Tried(NamedTuple):
    """What the crawl of a site would ask for, in its order, as far as its first pages lead; of that, what gave a page,
    and what gave none and why.
    """

    asked: Sequence[str]
    pages: Sequence[str]
    missed: Sequence[tuple[str, Message]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Context):
    """The product as its use cases see it."""

    frontier: Callable[["Run", str | None], RunFrontier]  # of a run, for the crawler of this name
    seal: Seal  # what secrets are kept under
    survey: Callable[[str, bool], Surveyed]  # of the site at an address, internal or not. BadInput, Unavailable
    try_out: Callable[[str], Tried]  # the crawl of the site with this id. BadInput, Unavailable
