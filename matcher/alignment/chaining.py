"""Select the blocks that explain a text, and chain passages that were interrupted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.aligned_span import AlignedSpan, merge_spans
from matcher.alignment.information_content import Floats
from matcher.alignment.seed_and_extend import Blocks

# Which blocks say where a text comes from: of those that claim one place, only the likeliest.


_MAX_RIVALS = 400  # blocks of a pair that are looked at; the heaviest
_MAX_BACKING = 0.5  # share of its own weight that a block gains at most from its neighbours
_FULL_BACKING_DISTANCE = 32.0  # what letters between two blocks tell, up to which the backing is whole
_MIN_CERTAIN_LETTERS = 40  # letters; a block so long may take from the work what another one took: it was copied twice


def select_explaining(blocks: Blocks, weights: Floats, page_told: Floats, work_told: Floats) -> NDArray[np.int64]:
    """The numbers of these blocks, heaviest first. weights: f64[m]; *_told as in `information_content`."""
    order = np.argsort(-weights, kind="stable")[:_MAX_RIVALS]
    if not len(order):
        return order
    letters = np.empty((len(order), 4), np.int32)
    for column, values in enumerate(blocks[:4]):
        letters[:, column] = values[order]
    kept: NDArray[np.int64] = order[_select_unexplained(letters, weights[order], page_told, work_told)]
    return kept


@compiled("i8[::1](i4[:,::1], f8[::1], f8[::1], f8[::1])")
def _select_unexplained(letters, weights, page_told, work_told):  # type: ignore[no-untyped-def]  # compiled
    """The blocks that are not for their greater part explained by heavier ones.

    Neighbours back a block, less the further away they are: of several places of a text that repeats itself, the one
    beside the rest of the passage counts.
    """
    m = len(letters)
    support = np.zeros(m, np.float64)
    for a in range(m):
        for b in range(a):
            page_overlap = min(letters[a, 1], letters[b, 1]) - max(letters[a, 0], letters[b, 0])
            work_overlap = min(letters[a, 3], letters[b, 3]) - max(letters[a, 2], letters[b, 2])
            if page_overlap > 0 or work_overlap > 0:
                continue  # rivals
            page_gap = max(
                page_told[letters[a, 0]] - page_told[letters[b, 1]], page_told[letters[b, 0]] - page_told[letters[a, 1]]
            )
            work_gap = max(
                work_told[letters[a, 2]] - work_told[letters[b, 3]], work_told[letters[b, 2]] - work_told[letters[a, 3]]
            )
            near = _FULL_BACKING_DISTANCE / max(page_gap, work_gap, _FULL_BACKING_DISTANCE)
            support[a] += near * weights[b]
            support[b] += near * weights[a]
    page = np.zeros(len(page_told), np.bool_)
    work = np.zeros(len(work_told), np.bool_)
    kept = np.empty(m, np.int64)
    count = 0
    backed = weights * (1.0 + _MAX_BACKING * support / max(1.0, support.max()))
    for block in np.argsort(-backed, kind="mergesort"):
        first, last = letters[block, 0], letters[block, 1]
        first_work, last_work = letters[block, 2], letters[block, 3]
        if 2 * page[first:last].sum() > last - first:
            continue
        if 2 * work[first_work:last_work].sum() > last_work - first_work and last - first < _MIN_CERTAIN_LETTERS:
            continue
        kept[count] = block
        count += 1
        page[first:last] = True
        work[first_work:last_work] = True
    return np.sort(kept[:count])


# Whether clauses changed places: again and again the page goes back in the work, inside of one passage.


_MIN_BACKWARD_STEPS = 2  # that it goes back at least, ...
_MIN_BACKWARD_SHARE = 0.15  # ... of all times that it does not go on with the next letter

Places = NDArray[np.int32]


def is_shuffled(passages: Iterable[tuple[Places, Places]]) -> bool:
    """Whether these passages, taken together, have another order than the work.

    Of each the places of the page and those of the work that agree with them, i32[n] each: letters, or the beginnings
    of blocks. How the passages stand to each other does not matter.
    """
    steps = [np.diff(work[np.argsort(page, kind="stable")]) for page, work in passages]
    back = sum(int(np.count_nonzero(step < 0)) for step in steps)
    return back >= _MIN_BACKWARD_STEPS and back >= _MIN_BACKWARD_SHARE * sum(
        int(np.count_nonzero(step != 1)) for step in steps
    )


# A passage that is interrupted again and again: padded with idle clauses, woven with another text, one of which
# sentences are left out, or whose clauses stand in another order.
#
# What tells it from a book that retells another one: it is interrupted inside its pieces as between them, so that the
# one text is longer than the other one throughout, or out of order throughout. Who retells leaves out here and adds
# there.


# What may lie between two pieces, told as in `weights`: on the page and in the work where the page is padded, ...
_MAX_PADDING, _MAX_CHANGED = 160.0, 48.0
_MAX_OMISSION, _MAX_OMITTED_SENTENCES = (
    25.0,
    130.0,
)  # ... and where sentences of the work are left out; these end where pieces do
_MAX_SHUFFLE_DISTANCE = 70.0  # ... and on either side where clauses changed places
_MAX_PIECE_OVERLAP = 12.0  # that pieces may have in the work: they grow into what follows
_BREAK_TOLERANCE = 1  # letters beside a break where a piece may begin or end

_MIN_LENGTH_RATIO = 1.35  # times the longer text is the other one in all, ...
_MIN_INNER_RATIO = 1.2  # ... and inside the pieces
_MIN_WORK_SHARE = 0.35  # share of the work that the pieces of a padded passage make up ...
_MIN_PAGE_SHARE = 0.6  # ... and of the page those of one with sentences left out
_MIN_BLOCKS = 5  # of a passage at least: two sentences with another one between tell nothing, ...
_MIN_WHOLE_SHARE = 0.9  # ... unless they are this share of the page, and nothing but sentences lies between: ...
_MAX_SEAM = 8.0  # ... at most this on the page

Breaks = NDArray[np.bool_]


def chain_interrupted(
    parts: list[AlignedSpan], blocks: Blocks, page_told: Floats, work_told: Floats, work_breaks: Callable[[], Breaks]
) -> list[AlignedSpan]:
    """The stretches, those that were one passage joined. parts: in the order of the page. blocks: all of them.

    *_told as in `matcher.alignment.information_content`. work_breaks: tells whether a sentence ends before each
    letter, bool[n + 1]; asked where that decides.
    """
    sides = _BlockSides(blocks, page_told, work_told, work_breaks)
    kinds = (
        (sides.after_padding, sides.padded),
        (sides.after_a_cut, sides.abridged),
        (sides.beside, sides.shuffled),
    )
    for goes_on, is_one in kinds:
        chains: list[list[AlignedSpan]] = []
        for part in parts:
            if chains and goes_on(chains[-1][-1], part):
                chains[-1].append(part)
            else:
                chains.append([part])
        joined = [[reduce(merge_spans, chain)] if len(chain) > 1 and is_one(chain) else chain for chain in chains]
        parts = [one for chain in joined for one in chain]
    return parts


@dataclass(frozen=True, slots=True)
class _BlockSides:
    """The blocks, what the letters of both texts tell, and where the work's sentences end."""

    blocks: Blocks
    page: Floats
    work: Floats
    breaks: Callable[[], Breaks]

    def _gaps(self, a: AlignedSpan, b: AlignedSpan) -> tuple[float, float]:
        """What lies between two stretches on the page and in the work; negative where they overlap."""
        on_page = self.page[b.page_start] - self.page[a.page_end]
        return float(on_page), float(self.work[b.work_start] - self.work[a.work_end])

    def after_padding(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b may be what follows a behind idle clauses."""
        on_page, in_work = self._gaps(a, b)
        return b.work_end > a.work_end and on_page <= _MAX_PADDING and -_MAX_PIECE_OVERLAP <= in_work <= _MAX_CHANGED

    def after_a_cut(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b may be what follows a behind sentences that were left out."""
        on_page, in_work = self._gaps(a, b)
        near = (
            b.work_end > a.work_end
            and on_page <= _MAX_OMISSION
            and -_MAX_PIECE_OVERLAP <= in_work <= _MAX_OMITTED_SENTENCES
        )
        return near and (self._breaks_at(a.work_end) or self._breaks_at(b.work_start))

    def beside(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b stands near a on both sides, before or behind it in the work."""
        on_page, behind = self._gaps(a, b)
        before = float(self.work[a.work_start] - self.work[b.work_end])
        return on_page <= _MAX_SHUFFLE_DISTANCE and max(behind, before) <= _MAX_SHUFFLE_DISTANCE

    def _breaks_at(self, letter: int) -> bool:
        return bool(self.breaks()[max(0, letter - _BREAK_TOLERANCE) : letter + _BREAK_TOLERANCE + 1].any())

    def _lengths(self, chain: list[AlignedSpan]) -> tuple[float, float]:
        """What the pieces span on the page and in the work."""
        return (
            sum(float(self.page[one.page_end] - self.page[one.page_start]) for one in chain),
            sum(float(self.work[one.work_end] - self.work[one.work_start]) for one in chain),
        )

    def padded(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage with something put between again and again."""
        whole = reduce(merge_spans, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_page >= _MIN_LENGTH_RATIO * of_work and inside_page >= _MIN_INNER_RATIO * inside_work
        return longer and len(whole.blocks) >= _MIN_BLOCKS and whole.weight >= _MIN_WORK_SHARE * of_work

    def abridged(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage of which sentences are left out again and again."""
        whole = reduce(merge_spans, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_work >= _MIN_LENGTH_RATIO * of_page and inside_work >= _MIN_INNER_RATIO * inside_page
        again = longer and len(whole.blocks) >= _MIN_BLOCKS and whole.weight >= _MIN_PAGE_SHARE * of_page
        return again or (whole.weight >= _MIN_WHOLE_SHARE * of_page and all(starmap(self._sentences, pairwise(chain))))

    def _sentences(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether nothing but whole sentences of the work lies between two stretches."""
        return self._gaps(a, b)[0] <= _MAX_SEAM and self._breaks_at(a.work_end) and self._breaks_at(b.work_start)

    def shuffled(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage whose clauses changed places."""
        numbers = np.array([number for one in chain for number in one.blocks])
        beginnings = self.blocks.page_start[numbers], self.blocks.work_start[numbers]
        return len(numbers) >= _MIN_BLOCKS and is_shuffled([beginnings])
