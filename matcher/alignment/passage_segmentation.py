"""Join blocks into passages, and split passages at long gaps.

Text that was copied in one piece is one passage, whatever was inserted, omitted or moved in it. Long gaps separate
passages: adverts, cuts, furniture (recurring insertions) or other text.
"""

from collections.abc import Callable, Sequence
from functools import cache, reduce
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.aligned_span import AlignedSpan, covered_length, merge_spans
from matcher.alignment.chaining import select_explaining
from matcher.alignment.seed_and_extend import Blocks, Floats, block_weights
from matcher.retrieval.inserted_adverts import mark_recurring

# Gaps are measured by the information of their initials, in Han initials.
MAX_GAP = 30.0  # gap inside a passage on either side, whatever the size of the blocks
MAX_WOVEN_GAP = 96.0  # gap between two groups of blocks that interlock on the other side ...
_MIN_FILLED_SHARE = 0.6  # ... and fill at least this share of it
MAX_FURNITURE = 320.0  # gap of the page that counts as nothing where most of it is furniture
MAX_FURNITURE_INITIALS = 800  # the same limit in initials of any kind
_MAX_OWN_SHARE = 0.5  # share of such a gap that is no furniture
MIN_BREAK = 64.0  # uncopied text on either side that splits a passage
_MIN_BREAK_INITIALS = 80  # the same limit in initials of any kind
MAX_GAP_SHARE = 0.15  # gap as a share of the smaller span, up to which two spans join
# Spans join for three more reasons.
# 1. Inserted or omitted: one text continues behind text that only the other one has, an advert or a cut.
MAX_SKIPPED = 12.0  # gap on the side that continues
_MIN_WHOLE_SHARE = 0.97  # share of its initials that is shared
# 2. Seam: one text continues with the very next initial.
_SEAM_TOLERANCE = 2  # initials by which it may be off
_MAX_BESIDE = 80  # initials that only the other text has
_MIN_NEARLY_WHOLE_SHARE = 0.92  # shared initials of a cut text, as those at its seam count as differences
# 3. Rewritten: the gaps are equally long on both sides, and no longer than either span.
_SHIFT_TOLERANCE = 8  # initials by which the gaps may differ


class SpanJoiner:
    """Decide which spans of two texts are one passage.

    own: returns the cumulative information of the page without furniture. It is called only where that decides.
    """

    def __init__(self, page_info: Floats, work_info: Floats, own: Callable[[], Floats]) -> None:
        self._page, self._work, self._own = page_info, work_info, own

    def _page_gap(self, a: AlignedSpan, b: AlignedSpan) -> float:
        """Information on the page between a and b behind it. Furniture that fills most of it counts as 0."""
        start, end = a.page_end, b.page_start
        if end <= start:
            return 0.0
        whole = self._page[end] - self._page[start]
        is_same_text = 2 * (min(a.work_end, b.work_end) - max(a.work_start, b.work_start)) > b.work_end - b.work_start
        if whole > MAX_FURNITURE or is_same_text:
            return float(whole)
        own = self._own()[end] - self._own()[start]
        return float(own if own <= _MAX_OWN_SHARE * whole else whole)

    def split(self, parts: list[AlignedSpan]) -> list[list[AlignedSpan]]:
        """Split the parts into groups with no gap over `MAX_GAP` on either side.

        The split alternates between page and work until no group splits.
        """
        done: list[list[AlignedSpan]] = []
        pending = [(parts, False, False)] if parts else []
        while pending:
            group, by_work, settled = pending.pop()
            groups = self._split_on(group, by_work=by_work)
            if len(groups) > 1:
                pending.extend((span, not by_work, False) for span in groups)
            elif settled:
                done.append(group)
            else:
                pending.append((group, not by_work, True))
        return done

    def _split_on(self, parts: list[AlignedSpan], *, by_work: bool) -> list[list[AlignedSpan]]:
        info = self._work if by_work else self._page
        first = 2 if by_work else 0
        groups: list[list[AlignedSpan]] = []
        gaps: list[float] = []
        last = None  # the part with the furthest end
        for part in sorted(parts, key=lambda span: span.bounds[first]):
            gap = 0.0
            if last and by_work:
                gap = float(info[part.work_start] - info[last.work_end])
            elif last:
                gap = self._page_gap(last, part)
            if groups and gap <= MAX_GAP:
                groups[-1].append(part)
            else:
                gaps.append(gap)
                groups.append([part])
            last = part if not last or part.bounds[first + 1] >= last.bounds[first + 1] else last
        woven = groups[:1]
        for gap, group in zip(gaps[1:], groups[1:], strict=True):
            if gap <= MAX_WOVEN_GAP and self._are_woven(woven[-1], group, by_work=not by_work):
                woven[-1] = woven[-1] + group
            else:
                woven.append(group)
        return woven

    def _are_woven(self, a: list[AlignedSpan], b: list[AlignedSpan], *, by_work: bool) -> bool:
        """Whether two groups interlock on a side and fill it together: pieces of one shuffled passage."""
        info = self._work if by_work else self._page
        first = 2 if by_work else 0
        spans = [[(info[span.bounds[first]], info[span.bounds[first + 1]]) for span in group] for group in (a, b)]
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
            index = costs.index(min(costs))
            joined[index : index + 2] = [merge_spans(joined[index], joined[index + 1])]
            costs[index : index + 1] = []
            for touched in (index - 1, index):
                if 0 <= touched < len(costs):
                    costs[touched] = self._distance(joined[touched], joined[touched + 1])
        return joined

    def _distance(self, a: AlignedSpan, b: AlignedSpan) -> float:
        """Gap on both sides as a share of the smaller span, 0 where one text continues in b."""
        page_gap = self._page_gap(a, b)
        work_gap = max(
            self._work[b.work_start] - self._work[a.work_end], self._work[a.work_start] - self._work[b.work_end], 0.0
        )
        if self._has_seam(a, b):
            return 0.0
        if max(page_gap, work_gap) > MIN_BREAK or self._is_long_gap(a, b, page_gap):
            return inf
        of_page = self._page[max(a.page_end, b.page_end)] - self._page[a.page_start]
        of_work = self._work[max(a.work_end, b.work_end)] - self._work[min(a.work_start, b.work_start)]
        weight = a.weight + b.weight
        inserted = work_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_work
        left_out = page_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_page
        if inserted or left_out or self._is_rewritten(a, b):
            return 0.0
        return float((page_gap + work_gap) / (2 * min(a.covered, b.covered)))

    def _has_seam(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether one text continues in b with the very next initial, and the other one soon behind.

        The text that continues must be shared nearly whole.
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

    def _is_long_gap(self, a: AlignedSpan, b: AlignedSpan, page_gap: float) -> bool:
        """Whether very many initials lie between, though they carry little. Furniture does not count."""
        furniture = page_gap < self._page[b.page_start] - self._page[a.page_end]
        on_page = 0 if furniture else b.page_start - a.page_end
        in_work = max(b.work_start - a.work_end, a.work_start - b.work_end)
        return max(on_page, in_work) > _MIN_BREAK_INITIALS

    def _is_rewritten(self, a: AlignedSpan, b: AlignedSpan) -> bool:
        """Whether b stands where a would have arrived, had it continued initial by initial."""
        on_page, in_work = b.page_start - a.page_end, b.work_start - a.work_end
        longest = min(a.covered, b.covered)
        return (
            min(on_page, in_work) >= 0
            and max(on_page, in_work) <= longest
            and abs(on_page - in_work) <= _SHIFT_TOLERANCE
        )


MIN_PASSAGE_WEIGHT = 18.0  # weight of a passage: agreeing initials less the cost of differences
MIN_DOCUMENT_SHARE = 0.45  # shared part of both texts, from which they are versions of one document


def gather_spans(blocks: Blocks, page: NDArray[np.uint8], page_info: Floats, work_info: Floats) -> list[AlignedSpan]:
    """Gather blocks into spans in the order of the page, with those too light for a passage. page: its initials."""
    weights = block_weights(blocks, page_info)
    if len(weights) == 1:  # the case of most works that share a sentence
        start, end, work_start, work_end = (int(column[0]) for column in blocks[:4])
        return [
            AlignedSpan(
                start, end, work_start, work_end, float(weights[0]), float(page_info[end] - page_info[start]), (0,)
            )
        ]
    selected = select_explaining(blocks, weights, page_info, work_info)
    bounds = [column[selected].tolist() for column in blocks[:4]]
    info = (page_info[blocks.page_end[selected]] - page_info[blocks.page_start[selected]]).tolist()
    columns = (*bounds, weights[selected].tolist(), info, [(number,) for number in selected.tolist()])
    single = [AlignedSpan(*row) for row in zip(*columns, strict=True)]

    @cache
    def own() -> Floats:
        return silence_initials(
            page_info,
            mark_recurring(page, blocks.page_start[selected], blocks.page_end[selected], MAX_FURNITURE_INITIALS),
        )

    joiner = SpanJoiner(page_info, work_info, own)
    groups = [reduce(merge_spans, group) for group in joiner.split(single)]
    return joiner.join(groups)


def silence_initials(info: Floats, silent: NDArray[np.bool_]) -> Floats:
    """Recompute cumulative information with these initials at 0."""
    sums = np.zeros_like(info)
    np.cumsum(np.where(silent, 0.0, np.diff(info)), out=sums[1:])
    return sums


def join_touching(parts: Sequence[AlignedSpan]) -> list[AlignedSpan]:
    """Merge neighbours that touch on both sides."""
    joined: list[AlignedSpan] = []
    for part in sorted(parts, key=lambda span: span.bounds):
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


def is_same_document(parts: Sequence[AlignedSpan], page_info: Floats, work_info: Floats) -> bool:
    """Whether two texts are versions of one document."""
    of_page = covered_length((page_info[part.page_start], page_info[part.page_end]) for part in parts)
    of_work = covered_length((work_info[part.work_start], work_info[part.work_end]) for part in parts)
    return bool(min(of_page / page_info[-1], of_work / work_info[-1]) >= MIN_DOCUMENT_SHARE)
