"""How many works are compared of those that share with a page only what very many share: until enough have all of it.

The ranking gives `WITNESSES` of a stretch, for some of them may turn out to share something else, or less of it. Where
only a few have some of the letters, each one more tells how common these are.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

# Works that have a letter of the page. Eight others take all its weight from it (`matcher.verdict.shared_with_others`);
# one more may be another edition of one of them.
ENOUGH: Final = 10
_LEFT = 16  # letters that fewer have, from which something may be left: the ends of a stretch agree by chance
_APART = 16  # letters that no work has, beyond which another stretch begins


class WitnessedLetters:
    """How many of the works that were compared have each letter of a page."""

    def __init__(self, letters: int) -> None:
        self._works = np.zeros(letters, np.int32)

    def wants(self, common_at: int | None) -> bool:
        """Whether a work is worth it that shares with the page only what is common, which has this letter; None: it may
        share more.
        """
        return common_at is None or common_at >= len(self._works) or not _is_common(self._works, common_at)

    def note(self, agreed: NDArray[np.int32]) -> None:
        """Letters of the page that a work has which was compared."""
        self._works[agreed] += 1


@compiled("b1(i4[::1], i8)")
def _is_common(works, at):  # type: ignore[no-untyped-def]  # compiled
    """Whether enough works have this letter, and nearly all those around it that any has."""
    if works[at] < ENOUGH:
        return False
    fewer = 0
    for step in (-1, 1):
        here = at
        nobodys = 0
        while 0 <= here < len(works) and nobodys <= _APART and fewer < _LEFT:
            nobodys = 0 if works[here] else nobodys + 1
            fewer += 0 < works[here] < ENOUGH
            here += step
    return fewer < _LEFT
