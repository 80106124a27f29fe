"""Decide how many ranked candidates are compared."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

# How far down a ranking works are compared: behind some in a row that share nothing, no other one is likely to.
#
# It holds for works in which hits gather on diagonals, which stand in the order of their evidence. Those behind them,
# in which none gather, stand in no order that tells.


# Works in a row. Of 3,500 copies found among 3,000 to 20,000 works none stood behind more than one such work.
MAX_FRUITLESS: Final = 8


class RankingCutoff:
    """Which works of one ranking are compared, asked and told in its order."""

    def __init__(self) -> None:
        self._fruitless = 0

    def wants(self, *, gathered: bool) -> bool:
        """Whether the next work is worth it. gathered: its hits gather on diagonals."""
        return not gathered or self._fruitless < MAX_FRUITLESS

    def note(self, *, shares: bool) -> None:
        """Whether the work that was compared shares a passage."""
        self._fruitless = 0 if shares else self._fruitless + 1


# How many works are compared of those that share with a page only what very many share: until enough have all of it.
#
# The ranking gives `MAX_WITNESSES` of a stretch, for some of them may turn out to share something else, or less of it.
# Where only a few have some of the letters, each one more tells how common these are.


# Works that have a letter of the page. Eight others take all its weight from it (`matcher.attribution.common_text`);
# one more may be another edition of one of them.
MIN_WITNESSES: Final = 10
_MIN_UNWITNESSED = (
    16  # letters that fewer have, from which something may be left: the ends of a stretch agree by chance
)
_MAX_UNSHARED = 16  # letters that no work has, beyond which another stretch begins


class WitnessCounts:
    """How many of the works that were compared have each letter of a page."""

    def __init__(self, letters: int) -> None:
        self._works = np.zeros(letters, np.int32)

    def wants(self, common_at: int | None) -> bool:
        """Whether a work is worth it that shares with the page only what is common, which has this letter; None: it may
        share more.
        """
        return common_at is None or common_at >= len(self._works) or not _is_common_letter(self._works, common_at)

    def note(self, agreed: NDArray[np.int32]) -> None:
        """Letters of the page that a work has which was compared."""
        self._works[agreed] += 1


@compiled("b1(i4[::1], i8)")
def _is_common_letter(works, at):  # type: ignore[no-untyped-def]  # compiled
    """Whether enough works have this letter, and nearly all those around it that any has."""
    if works[at] < MIN_WITNESSES:
        return False
    fewer = 0
    for step in (-1, 1):
        here = at
        nobodys = 0
        while 0 <= here < len(works) and nobodys <= _MAX_UNSHARED and fewer < _MIN_UNWITNESSED:
            nobodys = 0 if works[here] else nobodys + 1
            fewer += 0 < works[here] < MIN_WITNESSES
            here += step
    return fewer < _MIN_UNWITNESSED
