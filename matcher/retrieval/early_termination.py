"""Decide how many ranked candidates are compared.

Comparison ends behind some works in a row that share nothing. This holds for works whose hits gather on diagonals,
which are ranked by evidence. The works behind them are in no meaningful order. Of works that share only common text
with a page, enough are compared to have all of it. The ranking gives `MAX_WITNESSES` for a stretch, as some may share
something else, or less of it. Where only few works have some of the initials, each further work shows how common these
are.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

# Works in a row without a passage. None of 3,500 copies among 3,000 to 20,000 works stood behind more than one.
MAX_FRUITLESS: Final = 8


class RankingCutoff:
    """Decide which works of one ranking are compared. Ask and report in its order."""

    def __init__(self) -> None:
        self._fruitless = 0

    def wants(self, *, gathered: bool) -> bool:
        """Whether the next work is worth comparing. gathered: its hits gather on diagonals."""
        return not gathered or self._fruitless < MAX_FRUITLESS

    def note(self, *, shares: bool) -> None:
        """Record whether the compared work shares a passage."""
        self._fruitless = 0 if shares else self._fruitless + 1


# Works that have an initial of the page. Eight others remove all its weight (`matcher.attribution.common_text`), and
# one more may be an edition of one of them.
MIN_WITNESSES: Final = 10
_MIN_UNWITNESSED = 16  # initials of fewer works that prevent termination, as ends of a stretch agree by chance
_MAX_UNSHARED = 16  # initials of no work, beyond which another stretch begins


class WitnessCounts:
    """The number of compared works that have each initial of a page."""

    def __init__(self, initials: int) -> None:
        self._works = np.zeros(initials, np.int32)

    def wants(self, common_at: int | None) -> bool:
        """Whether a work is worth comparing that shares only common text with the page.

        common_at: an initial of that text, None for a work that may share more.
        """
        return common_at is None or common_at >= len(self._works) or not _is_common_initial(self._works, common_at)

    def note(self, agreed: NDArray[np.int32]) -> None:
        """Record the page's initials of a compared work."""
        self._works[agreed] += 1


@compiled("b1(i4[::1], i8)")
def _is_common_initial(works, center):  # type: ignore[no-untyped-def]  # compiled
    """Whether enough works have this initial, and nearly all shared initials around it."""
    if works[center] < MIN_WITNESSES:
        return False
    fewer = 0
    for step in (-1, 1):
        index = center
        unshared = 0
        while 0 <= index < len(works) and unshared <= _MAX_UNSHARED and fewer < _MIN_UNWITNESSED:
            unshared = 0 if works[index] else unshared + 1
            fewer += 0 < works[index] < MIN_WITNESSES
            index += step
    return fewer < _MIN_UNWITNESSED
