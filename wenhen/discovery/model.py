"""Describe addresses that a search engine found, and whether the engine still lists them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar

from wenhen.cases.model import Case
from wenhen.cases.rules import LEAD, PURSUED_STATUSES


class ListingState(StrEnum):
    """How a page stands in a search engine's results."""

    LISTED = "listed"
    DELISTED = "delisted"  # it was among them, and is no more
    UNSEEN = "unseen"  # it never was, by what was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class PageListing:
    """The page of a case among the results of the engine that a notice went to."""

    case: int
    looked_at: datetime
    asked: tuple[str, ...]  # the phrases of the last look
    seen_at: datetime | None = None  # when it was last among the results
    absent_since: datetime | None = None  # the first look in vain since then

    @property
    def state(self) -> ListingState:
        """What the looks amount to."""
        if self.absent_since is None:
            return ListingState.LISTED
        return ListingState.UNSEEN if self.seen_at is None else ListingState.DELISTED

    def days(self, since: datetime) -> int:
        """Whole days from a moment, as that at which a notice was sent, to the last look, or the first one in vain."""
        return max(0, ((self.absent_since or self.looked_at) - since).days)


class DiscoveryStatus(StrEnum):
    """Where an address stands on the review list."""

    PENDING = "pending"
    ACCEPTED = "accepted"  # to be fetched, as one address
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """One address for one work."""

    id: str  # of address and work
    work_id: str
    url: str
    title: str
    sentences: tuple[str, ...]  # that it was found by
    engine: str
    found_at: datetime
    status: DiscoveryStatus = DiscoveryStatus.PENDING
    decided_at: datetime | None = None
    batch: str | None = None  # of addresses that were accepted together, which one crawl fetches
    leads_to: str | None = None  # the page that was fetched at it, where it redirects to another address
    found_by: tuple[str, ...] = ()  # which of the engines behind the one that was asked led to it last
    listing: PageListing | None = None  # whether they still do, once its page is a case that is followed
    asked_at: datetime | None = None  # when that was last looked up, whatever came of it
    look_at: datetime | None = None  # before which it is not looked up again


# Whether a search engine still leads to a page: what a look amounts to, and which pages are looked for.


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
    """What is known after a look. before: after the one before; found_at: when a search had led to the page."""
    if listed:
        return PageListing(case=case, looked_at=now, asked=asked, seen_at=now)
    since = before.absent_since if before is not None and before.absent_since is not None else now
    seen_at = found_at if before is None else before.seen_at
    return PageListing(case=case, looked_at=now, asked=asked, seen_at=seen_at, absent_since=since)


def is_inconclusive(silent: Collection[str], found_by: Collection[str]) -> bool:
    """Whether nothing follows from a look that found nothing: an engine that led to the page before did not answer or,
    where nobody knows which did, any. silent: the engines that did not answer; found_by: those that led there.
    """
    return bool(set(silent) & set(found_by) if found_by else silent)


def is_followed(case: Case, *, noticed: bool) -> bool:
    """Whether a page that a search found is looked for again by itself: as long as its copy is there and is pursued, or
    waits for somebody to judge it. noticed: a notice to a search engine names it, with which it is looked for.
    """
    return case.present and case.status in FOLLOWED_STATUSES and case.licence_id is None and not noticed


def take_within_budget(due: Sequence[_T], *, most: int, asked: int) -> Sequence[_T]:
    """Of those that are due, the longest first, as many as may still be asked for today. asked: how many were."""
    return due[: max(0, most - asked)]
