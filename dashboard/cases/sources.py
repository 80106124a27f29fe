"""All that one page takes from the works: how much of it together, and from which most."""

from collections.abc import Sequence
from typing import NamedTuple

from matcher.verdict.shares import Side, share
from store.records import Case


class PageSources(NamedTuple):
    """The works that a page copies. Shares of the page in [0, 1]."""

    works: int
    share: float  # of all works together, what several share counted once
    largest: Case


def sources(cases: Sequence[Case], page_length: int) -> PageSources | None:
    """From the cases of one page that were found in the same text of it; None without any, or without a length."""
    if not cases or page_length <= 0:
        return None
    together = share((one for case in cases for one in case.match.passages), Side.PAGE, page_length)
    largest = max(cases, key=lambda case: (case.match.share_of_page, -case.number))
    return PageSources(len(cases), max(together, largest.match.share_of_page), largest)
