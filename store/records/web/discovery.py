"""An address that a search engine gave for sentences of a work, and what people decided about it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.records.web.listing import PageListing


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
