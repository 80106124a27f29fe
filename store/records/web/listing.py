"""Whether a search engine still leads to a copy, as it was looked up."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
