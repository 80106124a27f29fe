"""Select the blocks that explain a text, and chain passages that were interrupted.

An interrupted passage is padded with filler, woven with another text, abridged by sentences, or shuffled by clauses.
A retelling omits here and adds there. An interrupted passage changes inside its pieces as between them: one text is
longer throughout, or out of order throughout.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.aligned_span import AlignedSpan, merge_spans
from matcher.alignment.seed_and_extend import Blocks, Floats, weigh_blocks

_MAX_RIVALS = 400  # blocks of a pair that are considered, the heaviest first
_MAX_BACKING = 0.5  # most of its own weight that a block gains from its neighbours, as a share
_FULL_BACKING_DISTANCE = 32.0  # information between two blocks up to which the backing is full
_MIN_CERTAIN_INITIALS = 40  # initials of a block that may claim the same text of the work again: a second copy


def select_explaining(blocks: Blocks, weights: Floats, page_info: Floats, work_info: Floats) -> NDArray[np.int64]:
    """Return the numbers of the blocks that explain the text, heaviest first.

    Of blocks that claim one place, only the likeliest counts. weights: f64[m]. *_info: as in `information_content`.
    """
    selected: NDArray[np.int64] = _select_unexplained(*blocks[:4], weights, page_info, work_info)
    return selected


@compiled("i8[::1](i4[:], i4[:], i4[:], i4[:], f8[::1], f8[::1], f8[::1])")
def _select_unexplained(  # type: ignore[no-untyped-def]  # compiled
    page_start, page_end, work_start, work_end, block_weights, page_info, work_info
):
    """Return the blocks of which heavier ones explain at most half.

    Neighbours back a block, the nearer the more. Where a text repeats itself, the place beside the rest of the passage
    wins.
    """
    order = np.argsort(-block_weights, kind="mergesort")[:_MAX_RIVALS]
    m = len(order)
    if m == 0:
        return order
    bounds = np.empty((m, 4), np.int32)
    weights = np.empty(m, np.float64)
    for rank in range(m):
        block = order[rank]
        bounds[rank, 0], bounds[rank, 1] = page_start[block], page_end[block]
        bounds[rank, 2], bounds[rank, 3] = work_start[block], work_end[block]
        weights[rank] = block_weights[block]
    support = np.zeros(m, np.float64)
    for a in range(m):
        for b in range(a):
            page_overlap = min(bounds[a, 1], bounds[b, 1]) - max(bounds[a, 0], bounds[b, 0])
            work_overlap = min(bounds[a, 3], bounds[b, 3]) - max(bounds[a, 2], bounds[b, 2])
            if page_overlap > 0 or work_overlap > 0:
                continue  # rivals do not back each other
            page_gap = max(
                page_info[bounds[a, 0]] - page_info[bounds[b, 1]], page_info[bounds[b, 0]] - page_info[bounds[a, 1]]
            )
            work_gap = max(
                work_info[bounds[a, 2]] - work_info[bounds[b, 3]], work_info[bounds[b, 2]] - work_info[bounds[a, 3]]
            )
            backing = _FULL_BACKING_DISTANCE / max(page_gap, work_gap, _FULL_BACKING_DISTANCE)
            support[a] += backing * weights[b]
            support[b] += backing * weights[a]
    page = np.zeros(len(page_info), np.bool_)
    work = np.zeros(len(work_info), np.bool_)
    selected = np.empty(m, np.int64)
    count = 0
    backed = weights * (1.0 + _MAX_BACKING * support / max(1.0, support.max()))
    for block in np.argsort(-backed, kind="mergesort"):
        first, last = bounds[block, 0], bounds[block, 1]
        first_work, last_work = bounds[block, 2], bounds[block, 3]
        if 2 * page[first:last].sum() > last - first:
            continue
        if 2 * work[first_work:last_work].sum() > last_work - first_work and last - first < _MIN_CERTAIN_INITIALS:
            continue
        selected[count] = block
        count += 1
        page[first:last] = True
        work[first_work:last_work] = True
    return order[np.sort(selected[:count])]


def has_same_explanation(blocks: Blocks, more: Blocks, page_info: Floats, work_info: Floats) -> bool:
    """Whether the blocks that explain the text stay the same beside more blocks. *_info: as in `select_explaining`."""
    return bool(_has_same_explanation(*blocks, *more, page_info, work_info))


@compiled("b1(i4[:], i4[:], i4[:], i4[:], i4[:], i4[:], i4[:], i4[:], i4[:], i4[:], f8[::1], f8[::1])")
def _has_same_explanation(  # type: ignore[no-untyped-def]  # compiled
    page_start,
    page_end,
    work_start,
    work_end,
    score,
    more_page_start,
    more_page_end,
    more_work_start,
    more_work_end,
    more_score,
    page_info,
    work_info,
):
    """Select among the blocks, and among these and more, and compare the numbers."""
    weights = weigh_blocks(page_start, page_end, score, page_info)
    alone = _select_unexplained(page_start, page_end, work_start, work_end, weights, page_info, work_info)
    more_weights = weigh_blocks(more_page_start, more_page_end, more_score, page_info)
    beside = _select_unexplained(
        np.concatenate((page_start, more_page_start)),
        np.concatenate((page_end, more_page_end)),
        np.concatenate((work_start, more_work_start)),
        np.concatenate((work_end, more_work_end)),
        np.concatenate((weights, more_weights)),
        page_info,
        work_info,
    )
    return len(alone) == len(beside) and bool((alone == beside).all())


_MIN_BACKWARD_STEPS = 2  # least number of backward steps ...
_MIN_BACKWARD_SHARE = 0.15  # ... and their least share of the steps that skip

Numbers = NDArray[np.int32]


def is_shuffled(passages: Iterable[tuple[Numbers, Numbers]]) -> bool:
    """Whether the passages, taken together, have another order than the work.

    Each passage gives its numbers on the page and the agreeing numbers in the work, i32[n] each: initials, or the first
    initials of blocks. The order among the passages does not matter.
    """
    steps = [np.diff(work[np.argsort(page, kind="stable")]) for page, work in passages]
    back = sum(int(np.count_nonzero(step < 0)) for step in steps)
    return back >= _MIN_BACKWARD_STEPS and back >= _MIN_BACKWARD_SHARE * sum(
        int(np.count_nonzero(step != 1)) for step in steps
    )


# Most information between two pieces, in Han initials.
_MAX_PADDING = 160.0  # padded: on the page
_MAX_CHANGED = 48.0  # padded: in the work
_MAX_OMISSION = 25.0  # abridged: on the page
_MAX_OMITTED_SENTENCES = 130.0  # abridged: in the work, between sentence ends
_MAX_SHUFFLE_DISTANCE = 70.0  # shuffled: on either side
_MAX_PIECE_OVERLAP = 12.0  # overlap of pieces in the work, as they grow into what follows
_BREAK_TOLERANCE = 1  # initials beside a sentence end where a piece may begin or end

_MIN_LENGTH_RATIO = 1.35  # length of the longer text over the other one, in all ...
_MIN_INNER_RATIO = 1.2  # ... and inside the pieces
_MIN_WORK_SHARE = 0.35  # share of the work in the pieces of a padded passage
_MIN_PAGE_SHARE = 0.6  # share of the page in the pieces of an abridged passage
_MIN_BLOCKS = 5  # blocks of a passage, as two sentences around another one prove nothing
_MIN_WHOLE_SHARE = 0.9  # share of the page at which fewer blocks suffice if only whole sentences lie between
_MAX_SEAM = 8.0  # information on the page between such blocks

Breaks = NDArray[np.bool_]


def chain_interrupted(
    parts: list[AlignedSpan], blocks: Blocks, page_info: Floats, work_info: Floats, work_breaks: Callable[[], Breaks]
) -> list[AlignedSpan]:
    """Merge the spans that were one passage, and return all spans.

    parts: in the order of the page. blocks: all blocks. *_info: as in `information_content`. work_breaks: returns
    whether a sentence ends before each initial, bool[n + 1]. It is called only where that decides.
    """
    sides = _BlockSides(blocks, page_info, work_info, work_breaks)
    kinds = (
        (sides.follows_padding, sides.is_padded),
        (sides.follows_cut, sides.is_abridged),
        (sides.is_beside, sides.has_shuffled_clauses),
    )
    for follows, is_passage in kinds:
        chains: list[list[AlignedSpan]] = []
        for part in parts:
            if chains and follows(chains[-1][-1], part):
                chains[-1].append(part)
            else:
                chains.append([part])
        joined = [[reduce(merge_spans, chain)] if len(chain) > 1 and is_passage(chain) else chain for chain in chains]
        parts = [span for chain in joined for span in chain]
    return parts


@dataclass(frozen=True, slots=True)
class _BlockSides:
    """The blocks, the cumulative information of both texts, and the sentence ends of the work."""

    blocks: Blocks
    page: Floats
    work: Floats
    breaks: Callable[[], Breaks]

    def _gaps(self, a: AlignedSpan, b: AlignedSpan) -> tuple[float, float]:
        """Information between two spans on the page and in the work, negative where they overlap."""
        on_page = self.page[b.page_start] - self.page[a.page_end]
        return float(on_page), float(self.work[b.work_start] - self.work[a.work_end])

    def follows_padding(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b may follow a behind filler."""
        on_page, in_work = self._gaps(a, b)
        return b.work_end > a.work_end and on_page <= _MAX_PADDING and -_MAX_PIECE_OVERLAP <= in_work <= _MAX_CHANGED

    def follows_cut(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b may follow a behind omitted sentences."""
        on_page, in_work = self._gaps(a, b)
        near = (
            b.work_end > a.work_end
            and on_page <= _MAX_OMISSION
            and -_MAX_PIECE_OVERLAP <= in_work <= _MAX_OMITTED_SENTENCES
        )
        return near and (self._has_break_at(a.work_end) or self._has_break_at(b.work_start))

    def is_beside(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b is near a on both sides, before or behind it in the work."""
        on_page, behind = self._gaps(a, b)
        before = float(self.work[a.work_start] - self.work[b.work_end])
        return on_page <= _MAX_SHUFFLE_DISTANCE and max(behind, before) <= _MAX_SHUFFLE_DISTANCE

    def _has_break_at(self, initial: int) -> bool:
        return bool(self.breaks()[max(0, initial - _BREAK_TOLERANCE) : initial + _BREAK_TOLERANCE + 1].any())

    def _lengths(self, chain: list[AlignedSpan]) -> tuple[float, float]:
        """Information that the pieces span on the page and in the work."""
        return (
            sum(float(self.page[span.page_end] - self.page[span.page_start]) for span in chain),
            sum(float(self.work[span.work_end] - self.work[span.work_start]) for span in chain),
        )

    def is_padded(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage that filler interrupts again and again."""
        whole = reduce(merge_spans, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_page >= _MIN_LENGTH_RATIO * of_work and inside_page >= _MIN_INNER_RATIO * inside_work
        return longer and len(whole.blocks) >= _MIN_BLOCKS and whole.weight >= _MIN_WORK_SHARE * of_work

    def is_abridged(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage that omits sentences again and again."""
        whole = reduce(merge_spans, chain)
        (of_page, of_work), (inside_page, inside_work) = self._lengths([whole]), self._lengths(chain)
        longer = of_work >= _MIN_LENGTH_RATIO * of_page and inside_work >= _MIN_INNER_RATIO * inside_page
        again = longer and len(whole.blocks) >= _MIN_BLOCKS and whole.weight >= _MIN_PAGE_SHARE * of_page
        return again or (
            whole.weight >= _MIN_WHOLE_SHARE * of_page and all(starmap(self._skips_whole_sentences, pairwise(chain)))
        )

    def _skips_whole_sentences(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether only whole sentences of the work lie between two spans."""
        return self._gaps(a, b)[0] <= _MAX_SEAM and self._has_break_at(a.work_end) and self._has_break_at(b.work_start)

    def has_shuffled_clauses(self, chain: list[AlignedSpan]) -> bool:
        """Whether these are the pieces of a passage whose clauses changed places."""
        numbers = np.array([number for span in chain for number in span.blocks])
        beginnings = self.blocks.page_start[numbers], self.blocks.work_start[numbers]
        return len(numbers) >= _MIN_BLOCKS and is_shuffled([beginnings])
