"""A passage that is interrupted again and again: padded with idle clauses, woven with another text, one of which
sentences are left out, or whose clauses stand in another order.

What tells it from a book that retells another one: it is interrupted inside its pieces as between them, so that the one
text is longer than the other one throughout, or out of order throughout. Who retells leaves out here and adds there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.blocks import Blocks
from matcher.alignment.letter_weights import Floats
from matcher.alignment.shuffled_clauses import is_shuffled
from matcher.alignment.stretch import Stretch, together

# What may lie between two pieces, told as in `weights`: on the page and in the work where the page is padded, ...
_PADDING, _CHANGED = 160.0, 48.0
_LEFT_OUT, _SENTENCES = 25.0, 130.0  # ... and where sentences of the work are left out; these end where pieces do
_SHUFFLED = 70.0  # ... and on either side where clauses changed places
_OVERLAP = 12.0  # that pieces may have in the work: they grow into what follows
_FUZZ = 1  # letters beside a break where a piece may begin or end

_LONGER = 1.35  # times the longer text is the other one in all, ...
_INSIDE = 1.2  # ... and inside the pieces
_KEPT = 0.35  # share of the work that the pieces of a padded passage make up ...
_TAKEN = 0.6  # ... and of the page those of one with sentences left out
_BLOCKS = 5  # of a passage at least: two sentences with another one between tell nothing, ...
_WHOLLY = 0.9  # ... unless they are this share of the page, and nothing but sentences lies between: ...
_SEAM = 8.0  # ... at most this on the page

Breaks = NDArray[np.bool_]


def whole_again(
    parts: list[Stretch], blocks: Blocks, page_told: Floats, work_told: Floats, work_breaks: Callable[[], Breaks]
) -> list[Stretch]:
    """The stretches, those that were one passage joined. parts: in the order of the page. blocks: all of them.

    *_told as in `matcher.alignment.letter_weights`. work_breaks: tells whether a sentence ends before each
    letter, bool[n + 1]; asked where that decides.
    """
    sides = _Sides(blocks, page_told, work_told, work_breaks)
    kinds = (
        (sides.after_padding, sides.padded),
        (sides.after_a_cut, sides.abridged),
        (sides.beside, sides.shuffled),
    )
    for goes_on, is_one in kinds:
        chains: list[list[Stretch]] = []
        for part in parts:
            if chains and goes_on(chains[-1][-1], part):
                chains[-1].append(part)
            else:
                chains.append([part])
        joined = [[reduce(together, chain)] if len(chain) > 1 and is_one(chain) else chain for chain in chains]
        parts = [one for chain in joined for one in chain]
    return parts


@dataclass(frozen=True, slots=True)
class _Sides:
    """The blocks, what the letters of both texts tell, and where the work's sentences end."""

    blocks: Blocks
    page: Floats
    work: Floats
    breaks: Callable[[], Breaks]

    def _gaps(self, a: Stretch, b: Stretch) -> tuple[float, float]:
        """What lies between two stretches on the page and in the work; negative where they overlap."""
        on_page = self.page[b.page_start] - self.page[a.page_end]
        return float(on_page), float(self.work[b.work_start] - self.work[a.work_end])

    def after_padding(self, a: Stretch, b: Stretch) -> bool:
        """Whether b may be what follows a behind idle clauses."""
        on_page, in_work = self._gaps(a, b)
        return b.work_end > a.work_end and on_page <= _PADDING and -_OVERLAP <= in_work <= _CHANGED

    def after_a_cut(self, a: Stretch, b: Stretch) -> bool:
        """Whether b may be what follows a behind sentences that were left out."""
        on_page, in_work = self._gaps(a, b)
        near = b.work_end > a.work_end and on_page <= _LEFT_OUT and -_OVERLAP <= in_work <= _SENTENCES
        return near and (self._breaks_at(a.work_end) or self._breaks_at(b.work_start))

    def beside(self, a: Stretch, b: Stretch) -> bool:
        """Whether b stands near a on both sides, before or behind it in the work."""
        on_page, behind = self._gaps(a, b)
        before = float(self.work[a.work_start] - self.work[b.work_end])
        return on_page <= _SHUFFLED and max(behind, before) <= _SHUFFLED

    def _breaks_at(self, letter: int) -> bool:
        return bool(self.breaks()[max(0, letter - _FUZZ) : letter + _FUZZ + 1].any())

    def _lengths(self, chain: list[Stretch]) -> tuple[float, float]:
        """What the pieces span on the page and in the work."""
        return (
            sum(float(self.page[one.page_end] - self.page[one.page_start]) for one in chain),
            sum(float(self.work[one.work_end] - self.work[one.work_start]) for one in chain),
        )

    def padded(self, chain: list[Stretch]) -> bool:
        """Whether these are the pieces of a passage with something put between again and again."""
        whole = reduce(together, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_page >= _LONGER * of_work and inside_page >= _INSIDE * inside_work
        return longer and len(whole.blocks) >= _BLOCKS and whole.weight >= _KEPT * of_work

    def abridged(self, chain: list[Stretch]) -> bool:
        """Whether these are the pieces of a passage of which sentences are left out again and again."""
        whole = reduce(together, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_work >= _LONGER * of_page and inside_work >= _INSIDE * inside_page
        again = longer and len(whole.blocks) >= _BLOCKS and whole.weight >= _TAKEN * of_page
        return again or (whole.weight >= _WHOLLY * of_page and all(starmap(self._sentences, pairwise(chain))))

    def _sentences(self, a: Stretch, b: Stretch) -> bool:
        """Whether nothing but whole sentences of the work lies between two stretches."""
        return self._gaps(a, b)[0] <= _SEAM and self._breaks_at(a.work_end) and self._breaks_at(b.work_start)

    def shuffled(self, chain: list[Stretch]) -> bool:
        """Whether these are the pieces of a passage whose clauses changed places."""
        numbers = np.array([number for one in chain for number in one.blocks])
        beginnings = self.blocks.page_start[numbers], self.blocks.work_start[numbers]
        return len(numbers) >= _BLOCKS and is_shuffled([beginnings])
