"""Join blocks into passages, and split passages at long gaps."""

from collections.abc import Callable, Sequence
from functools import cache, reduce
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.aligned_span import AlignedSpan, covered_length, merge_spans
from matcher.alignment.chaining import select_explaining
from matcher.alignment.information_content import Floats, block_weights
from matcher.alignment.seed_and_extend import Blocks
from matcher.retrieval.recurring_insertions import mark_recurring

# How much may lie between two copied stretches until they are two passages: adverts, cuts, furniture, other text.


# Gaps are measured by what the letters in them tell, in Han letters.
MAX_GAP = 30.0  # what may lie between two blocks of one passage on either side, whatever their size
MAX_WOVEN_GAP = 96.0  # the same for two groups of blocks that interlock on the other side, ...
_MIN_FILLED_SHARE = 0.6  # ... filling at least this share of it
MAX_FURNITURE = 320.0  # the most of a gap of the page that may tell nothing for being furniture, ...
MAX_FURNITURE_LETTERS = 800  # the same in letters of any kind
_MAX_OWN_SHARE = 0.5  # where at most this share of it is none
MIN_BREAK = 64.0  # a passage covers what was copied: over more than this on either side that was not, it is two
_MIN_BREAK_LETTERS = 80  # the same in letters of any kind
MAX_GAP_SHARE = 0.15  # stretches with more between them are one while that is at most this share of the smaller one
# Three more reasons to join stretches: one text goes on behind what the other one has alone, an advert or cut, ...
MAX_SKIPPED = 12.0  # ... with at most this between on its own side ...
_MIN_WHOLE_SHARE = 0.97  # ... and at least this share of its letters there shared;
_SEAM_TOLERANCE = 2  # or it goes on behind them with the very letter, give or take so many, ...
_MAX_BESIDE = 80  # ... at most so many of them, ...
_MIN_NEARLY_WHOLE_SHARE = 0.92  # ... though letters at the seams of the cut one count as differences;
_SHIFT_TOLERANCE = (
    8  # or as many letters, give or take so many, lie between on both sides, no more than either stretch has.
)


class SpanJoiner:
    """Which stretches of two texts are one passage. own: what the page's letters tell, furniture left out; asked where
    that decides.
    """

    def __init__(self, page_told: Floats, work_told: Floats, own: Callable[[], Floats]) -> None:
        self._page, self._work, self._own = page_told, work_told, own

    def _apart(self, a: AlignedSpan, b: AlignedSpan) -> float:
        """What lies on the page between a and b behind it; furniture tells nothing where it is most of that."""
        start, end = a.page_end, b.page_start
        if end <= start:
            return 0.0
        whole = self._page[end] - self._page[start]
        again = 2 * (min(a.work_end, b.work_end) - max(a.work_start, b.work_start)) > b.work_end - b.work_start
        if whole > MAX_FURNITURE or again:
            return float(whole)
        own = self._own()[end] - self._own()[start]
        return float(own if own <= _MAX_OWN_SHARE * whole else whole)

    def split(self, parts: list[AlignedSpan]) -> list[list[AlignedSpan]]:
        """Groups with no gap over `MAX_GAP` on either side: split on one, then on the other, until nothing splits."""
        done: list[list[AlignedSpan]] = []
        waiting = [(parts, False, False)] if parts else []
        while waiting:
            group, by_work, settled = waiting.pop()
            groups = self._split_on(group, by_work=by_work)
            if len(groups) > 1:
                waiting.extend((one, not by_work, False) for one in groups)
            elif settled:
                done.append(group)
            else:
                waiting.append((group, not by_work, True))
        return done

    def _split_on(self, parts: list[AlignedSpan], *, by_work: bool) -> list[list[AlignedSpan]]:
        told = self._work if by_work else self._page
        first = 2 if by_work else 0
        groups: list[list[AlignedSpan]] = []
        gaps: list[float] = []
        last = None  # the part that reaches furthest
        for part in sorted(parts, key=lambda one: one.bounds[first]):
            gap = 0.0
            if last and by_work:
                gap = float(told[part.work_start] - told[last.work_end])
            elif last:
                gap = self._apart(last, part)
            if groups and gap <= MAX_GAP:
                groups[-1].append(part)
            else:
                gaps.append(gap)
                groups.append([part])
            last = part if not last or part.bounds[first + 1] >= last.bounds[first + 1] else last
        woven = groups[:1]
        for gap, group in zip(gaps[1:], groups[1:], strict=True):
            if gap <= MAX_WOVEN_GAP and self._woven(woven[-1], group, by_work=not by_work):
                woven[-1] = woven[-1] + group
            else:
                woven.append(group)
        return woven

    def _woven(self, a: list[AlignedSpan], b: list[AlignedSpan], *, by_work: bool) -> bool:
        """Whether two groups interlock on a side and fill it together: pieces of one shuffled passage."""
        told = self._work if by_work else self._page
        first = 2 if by_work else 0
        spans = [[(told[one.bounds[first]], told[one.bounds[first + 1]]) for one in group] for group in (a, b)]
        starts = [min(start for start, _ in group) for group in spans]
        ends = [max(end for _, end in group) for group in spans]
        shared = min(ends) - max(starts)
        smaller = min(end - start for start, end in zip(starts, ends, strict=True))
        filled = covered_length(spans[0] + spans[1]) / (max(ends) - min(starts))
        return bool(shared >= smaller / 2 and filled >= _MIN_FILLED_SHARE)

    def join(self, parts: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Join neighbours along the page, the nearest for their size first."""
        joined = sorted(parts, key=lambda part: part.bounds)
        costs = [self._distance(a, b) for a, b in pairwise(joined)]
        while costs and min(costs) <= MAX_GAP_SHARE:
            at = costs.index(min(costs))
            joined[at : at + 2] = [merge_spans(joined[at], joined[at + 1])]
            costs[at : at + 1] = []
            for touched in (at - 1, at):
                if 0 <= touched < len(costs):
                    costs[touched] = self._distance(joined[touched], joined[touched + 1])
        return joined

    def _distance(self, a: AlignedSpan, b: AlignedSpan) -> float:
        """What lies between on both sides, as a share of the smaller stretch; 0 where one text goes on in b."""
        page_gap = self._apart(a, b)
        work_gap = max(
            self._work[b.work_start] - self._work[a.work_end], self._work[a.work_start] - self._work[b.work_end], 0.0
        )
        if self._seam(a, b):
            return 0.0
        if max(page_gap, work_gap) > MIN_BREAK or self._long(a, b, page_gap):
            return inf
        of_page = self._page[max(a.page_end, b.page_end)] - self._page[a.page_start]
        of_work = self._work[max(a.work_end, b.work_end)] - self._work[min(a.work_start, b.work_start)]
        weight = a.weight + b.weight
        inserted = work_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_work
        left_out = page_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_page
        if inserted or left_out or self._rewritten(a, b):
            return 0.0
        return float((page_gap + work_gap) / (2 * min(a.covered, b.covered)))

    def _seam(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether the one text goes on in b with the very letter where it stopped in a, not far behind in the other.

        Both are whole on that side.
        """
        on_page, in_work = b.page_start - a.page_end, b.work_start - a.work_end
        weight = a.weight + b.weight
        of_page = self._page[b.page_end] - self._page[a.page_start]
        of_work = self._work[b.work_end] - self._work[a.work_start]
        put_in = abs(in_work) <= _SEAM_TOLERANCE and on_page <= _MAX_BESIDE and weight >= _MIN_WHOLE_SHARE * of_work
        left_out = (
            abs(on_page) <= _SEAM_TOLERANCE
            and 0 < in_work <= _MAX_BESIDE
            and weight >= _MIN_NEARLY_WHOLE_SHARE * of_page
        )
        return put_in or left_out

    def _long(self, a: AlignedSpan, b: AlignedSpan, page_gap: float) -> bool:
        """Whether very many letters lie between, though they tell little; furniture does not count."""
        furniture = page_gap < self._page[b.page_start] - self._page[a.page_end]
        on_page = 0 if furniture else b.page_start - a.page_end
        in_work = max(b.work_start - a.work_end, a.work_start - b.work_end)
        return max(on_page, in_work) > _MIN_BREAK_LETTERS

    def _rewritten(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b goes on where a would have come to, had it gone on letter by letter."""
        on_page, in_work = b.page_start - a.page_end, b.work_start - a.work_end
        longest = min(a.covered, b.covered)
        return (
            min(on_page, in_work) >= 0
            and max(on_page, in_work) <= longest
            and abs(on_page - in_work) <= _SHIFT_TOLERANCE
        )


# From blocks to passages: what was copied in one go is one passage, whatever was put between, left out or moved.


MIN_PASSAGE_WEIGHT = 18.0  # weight of a passage: letters that agree, less what differences cost
MIN_DOCUMENT_SHARE = 0.45  # two texts that share this much of both are versions of one


def gather_spans(blocks: Blocks, page: NDArray[np.uint8], page_told: Floats, work_told: Floats) -> list[AlignedSpan]:
    """Gather blocks into stretches, in the order of the page, those lighter than a passage too. page: its letters."""
    weights = block_weights(blocks, page_told)
    if len(weights) == 1:  # as with most works that share a sentence: nothing rivals it, nothing is to be gathered
        start, end, work_start, work_end = (int(column[0]) for column in blocks[:4])
        return [
            AlignedSpan(
                start, end, work_start, work_end, float(weights[0]), float(page_told[end] - page_told[start]), (0,)
            )
        ]
    kept = select_explaining(blocks, weights, page_told, work_told)
    bounds = [column[kept].tolist() for column in blocks[:4]]
    told = (page_told[blocks.page_end[kept]] - page_told[blocks.page_start[kept]]).tolist()
    columns = (*bounds, weights[kept].tolist(), told, [(number,) for number in kept.tolist()])
    single = [AlignedSpan(*row) for row in zip(*columns, strict=True)]

    @cache
    def own() -> Floats:
        return _silence_letters(
            page_told, mark_recurring(page, blocks.page_start[kept], blocks.page_end[kept], MAX_FURNITURE_LETTERS)
        )

    joining = SpanJoiner(page_told, work_told, own)
    groups = [reduce(merge_spans, group) for group in joining.split(single)]
    return joining.join(groups)


def _silence_letters(told: Floats, silent: NDArray[np.bool_]) -> Floats:
    """What the letters before each place tell, where these tell nothing."""
    sums = np.zeros_like(told)
    np.cumsum(np.where(silent, 0.0, np.diff(told)), out=sums[1:])
    return sums


def join_touching(parts: Sequence[AlignedSpan]) -> list[AlignedSpan]:
    """Make one of neighbours that have come to touch on both sides."""
    joined: list[AlignedSpan] = []
    for part in sorted(parts, key=lambda one: one.bounds):
        last = joined[-1] if joined else None
        if (
            last
            and part.page_start - last.page_end <= MAX_SKIPPED
            and max(part.work_start - last.work_end, last.work_start - part.work_end) <= MAX_SKIPPED
        ):
            joined[-1] = merge_spans(last, part)
        else:
            joined.append(part)
    return joined


def is_same_document(parts: Sequence[AlignedSpan], page_told: Floats, work_told: Floats) -> bool:
    """Whether two texts are versions of one document."""
    of_page = covered_length((page_told[part.page_start], page_told[part.page_end]) for part in parts)
    of_work = covered_length((work_told[part.work_start], work_told[part.work_end]) for part in parts)
    return bool(min(of_page / page_told[-1], of_work / work_told[-1]) >= MIN_DOCUMENT_SHARE)
