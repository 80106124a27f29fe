"""Define addresses that a search engine found, and whether the engine still lists them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar

from wenhen.cases.model import Case
from wenhen.cases.rules import LEAD, PURSUED_STATUSES, is_licensed
from wenhen.kit.errors import Message


class ListingState(StrEnum):
    """The state of a page in the results of a search engine."""

    LISTED = "listed"
    DELISTED = "delisted"  # it was listed, and is no longer
    UNSEEN = "unseen"  # it was never among the results of the queries


@dataclass(frozen=True, slots=True, kw_only=True)
class PageListing:
    """The page of a case in the results of the engine that received a notice."""

    case: int
    looked_at: datetime
    asked: tuple[str, ...]  # phrases of the last look-up
    seen_at: datetime | None = None  # last time that it was listed
    absent_since: datetime | None = None  # first look-up without it since then

    @property
    def state(self) -> ListingState:
        """Return the state after the last look-up."""
        if self.absent_since is None:
            return ListingState.LISTED
        return ListingState.UNSEEN if self.seen_at is None else ListingState.DELISTED

    def days(self, since: datetime) -> int:
        """Return the whole days from a time, such as that of a notice, to the delisting, or to the last look-up."""
        return max(0, ((self.absent_since or self.looked_at) - since).days)


class DiscoveryStatus(StrEnum):
    """The state of an address on the review list."""

    PENDING = "pending"
    ACCEPTED = "accepted"  # to be fetched as a single address
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """An address that was found for a work."""

    id: str  # id of address and work
    work_id: str
    url: str
    title: str
    sentences: tuple[str, ...]  # sentences by which it was found
    engine: str
    found_at: datetime
    status: DiscoveryStatus = DiscoveryStatus.PENDING
    decided_at: datetime | None = None
    batch: str | None = None  # addresses that were accepted together, fetched by one crawl
    leads_to: str | None = None  # address of the fetched page, after redirects
    found_by: tuple[str, ...] = ()  # engines of a metasearch engine that found it last
    listing: PageListing | None = None  # whether it is still listed, once its page is a followed case
    asked_at: datetime | None = None  # time of the last look-up, whatever its result
    look_at: datetime | None = None  # time of the next look-up


# Listing checks: the result of a look-up, and which pages are checked.


FOLLOWED_STATUSES: Final = (LEAD, *PURSUED_STATUSES)
_T = TypeVar("_T")


def update_listing(
    before: PageListing | None,
    case: int,
    asked: tuple[str, ...],
    now: datetime,
    *,
    listed: bool,
    found_at: datetime | None = None,
) -> PageListing:
    """Return the listing after a look-up. before: the previous one. found_at: when a search had found the page."""
    if listed:
        return PageListing(case=case, looked_at=now, asked=asked, seen_at=now)
    since = before.absent_since if before is not None and before.absent_since is not None else now
    seen_at = found_at if before is None else before.seen_at
    return PageListing(case=case, looked_at=now, asked=asked, seen_at=seen_at, absent_since=since)


def is_inconclusive(silent: Collection[str], found_by: Collection[str]) -> bool:
    """Return whether a look-up without a hit is inconclusive, because engines did not answer.

    silent: engines that did not answer. found_by: engines that had found the page; if empty, any silent engine counts.
    """
    return bool(set(silent) & set(found_by) if found_by else silent)


def is_followed(case: Case, *, noticed: bool) -> bool:
    """Return whether a found page is checked regularly: its copy is present, and pursued or waiting for a decision.

    noticed: a notice to a search engine names it, and it is checked for that notice.
    """
    return case.present and case.status in FOLLOWED_STATUSES and not is_licensed(case) and not noticed


def take_within_budget(due: Sequence[_T], *, most: int, asked: int) -> Sequence[_T]:
    """Return as many of the due ones as may still be checked today. asked: how many were checked already."""
    return due[: max(0, most - asked)]


class SearchState(StrEnum):
    """The state of a requested search."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedSearch:
    """A search for copies of a work, which a person asked for and a worker runs.

    new: addresses that went on the list. known: addresses that were on it, or whose pages are stored.
    """

    work_id: str
    by: str
    asked_at: datetime
    state: SearchState = SearchState.WAITING
    new: int = 0
    known: int = 0
    problem: Message | None = None
