"""What a crawl has still to fetch, and what it has seen: the port.

The life of an address::

    enter ──→ waiting ──(given to a crawler, with a lease)──→ in hand ──→ done
                 ↑                                              │
                 └──── given back, or its crawler went away ────┘

An address that was entered once is never entered again; so an address is fetched once, but for those that a crawler had
in hand when it was killed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol

from crawler.crawl.canonical_addresses import any_scheme

ASKED_FOR_A_PAGE = 20  # addresses entered for each page that may be captured: link farms are endless
ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """An address in a frontier: lower ranks come first, equal ones in the order of their coming. What the payload
    holds beside the address is the scheduler's affair.
    """

    id: bytes
    rank: int
    payload: bytes


class State(StrEnum):
    """How a frontier stands."""

    OPEN = "open"
    FULL = "full"  # as many pages are captured as may be; what was taken is still to be done, all else is left out
    GONE = "gone"  # its server knows nothing of it: never begun, or emptied
    OVER = "over"  # the crawl was ended


@dataclass(frozen=True, slots=True)
class Exchange:
    """What an exchange gave, and how the frontier stands after it."""

    state: State
    given: tuple[Entry, ...] = ()
    taken: frozenset[bytes] = frozenset()  # those of the given for whom a page was taken by a crawler that went away
    waiting: int = 0
    in_hand: int = 0  # of all crawlers
    counts: Mapping[str, int] = field(default_factory=dict)  # of all crawlers
    again: frozenset[bytes] = frozenset()  # those of the given that a crawler which went away may have fetched


class Taken(StrEnum):
    """Whether a page may be captured."""

    OURS = "ours"
    BEFORE = "before"  # another address led to it
    FULL = "full"


class Frontier(Protocol):
    """Shared by all crawlers of one run. Every method is atomic, and may raise `store.errors.Unavailable`."""

    def begin(self) -> None:
        """Make it, unless it is there."""

    def exchange(
        self,
        *,
        done: Sequence[bytes] = (),
        entered: Sequence[Entry] = (),
        held: Sequence[bytes] = (),
        want: int = 0,
        counts: Mapping[str, int] | None = None,
    ) -> Exchange:
        """Tell what is done and what was found, keep what is held, add to the counts, and take up to `want` more.

        What is left out is counted as refused by the page limit.
        """

    def take(self, pages: Sequence[tuple[bytes, bytes]]) -> list[Taken]:
        """Note that pages (the ids of their addresses, seen from now on) are captured now, each on behalf of an entry;
        the same entry may ask again.
        """

    def give_back(self, entries: Sequence[bytes]) -> None:
        """Put what this crawler held, and will not fetch, back in its place."""


def address_id(url: str) -> bytes:
    """The id of a canonical address, by http and https the same."""
    return blake2b(any_scheme(url).encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).digest()


def address_of(entry: Entry) -> str:
    """The address of an entry that a scheduler entered."""
    return str(json.loads(entry.payload)["url"])
