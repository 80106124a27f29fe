"""When two texts are near duplicates: how much of either was copied, their lengths, and the dates between them."""

from datetime import timedelta
from typing import Protocol

from store.records import Member

# A text that shares fewer features with another, of those that tell anything, is no near duplicate of it: of 377 true
# pairs of editions and disguised copies the least had .27.
LEAST_SHARE = 0.05


class Likened(Protocol):
    """How much of two texts is common: a verdict, or a match."""

    @property
    def share_of_page(self) -> float: ...
    @property
    def share_of_work(self) -> float: ...


def likeness(shared: Likened) -> float:
    """How near two texts are to being the same, in [0, 1]: the lesser share that was copied."""
    return min(shared.share_of_page, shared.share_of_work)


def may_be_near(length: int, other_length: int, least: float) -> bool:
    """Whether two texts of these lengths can reach this likeness; half of it, as disguises make texts longer."""
    return min(length, other_length) >= least / 2 * max(length, other_length)


def within(one: Member, other: Member, window: timedelta | None) -> bool:
    """Whether the dates of two texts lie within the window; None is no limit."""
    return window is None or abs(one.dated - other.dated) <= window
