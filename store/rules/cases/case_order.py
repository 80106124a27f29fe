"""In what order a list of cases stands: what each order sorts by, and how much a case is worth a look."""

from collections.abc import Mapping
from math import log1p
from types import MappingProxyType
from typing import Final, NamedTuple

from store.records import CaseOrder


class Sorting(NamedTuple):
    """By which figure of a case, the largest first or last; of those that are equal the newest comes first."""

    by: str
    largest_first: bool = True


SORTINGS: Final[Mapping[CaseOrder, Sorting]] = MappingProxyType(
    {
        CaseOrder.WORTH: Sorting("worth"),
        CaseOrder.NEWEST: Sorting("number"),
        CaseOrder.OLDEST: Sorting("number", largest_first=False),
        CaseOrder.LARGEST: Sorting("share_of_page"),
        CaseOrder.LIKELIEST: Sorting("score"),
        CaseOrder.DEADLINE: Sorting("deadline", largest_first=False),
    }
)
USUAL: Final = CaseOrder.WORTH  # of the queue, unless another is chosen
_QUOTATION = 40.0  # letters; twice as many rare ones are worth less than twice the look


def worth(*, share_of_page: float, share_of_work: float, weight: float) -> float:
    """How much a case is worth a look, 0 and up: share × length × rarity.

    The larger share counts; length and rarity are the letters that agree, less for what others have as well, which is
    a match's weight. They count by their logarithm, as a whole poem is worth the look that some pages of a novel are.
    """
    return max(share_of_page, share_of_work) * log1p(max(0.0, weight) / _QUOTATION)
