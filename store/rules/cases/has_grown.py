"""How much more has to be copied for a quiet case to be a lead again."""

from typing import Final

from store.records import Case

_GROWTH: Final = 0.01  # share that a text has to gain; what is less comes from a page that changes at its edges


def has_grown(case: Case) -> bool:
    """Whether a quiet case copies more than when it was told to be quiet."""
    extent, match = case.extent, case.match
    return extent is not None and (
        match.share_of_page > extent.share_of_page + _GROWTH
        or match.share_of_work > extent.share_of_work + _GROWTH
        or len(match.passages) > extent.passages
    )
