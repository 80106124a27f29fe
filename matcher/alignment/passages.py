"""From blocks to passages: what was copied in one go is one passage, whatever was put between, left out or moved."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.blocks import Blocks
from matcher.alignment.letter_weights import Floats, block_weights
from matcher.alignment.recurring_insertions import recurring
from matcher.alignment.rival_blocks import explaining

LEAST = 18.0  # weight of a passage: letters that agree, less what differences cost
# Gaps are measured by what the letters in them tell, in Han letters.
GAP = 30.0  # what may lie between two blocks of one passage on either side, whatever their size
WOVEN_GAP = 96.0  # the same for two groups of blocks that interlock on the other side, ...
_FILLED = 0.6  # ... filling at least this share of it
FURNITURE = 320.0  # the most of a gap of the page that may tell nothing for being furniture, ...
_LONGEST = 800  # the same in letters of any kind
_OWN = 0.5  # where at most this share of it is none
BREAK = 64.0  # a passage covers what was copied: over more than this on either side that was not, it is two
_BREAK_LETTERS = 80  # the same in letters of any kind
GAP_SHARE = 0.15  # stretches with more between them are one while that is at most this share of the smaller one
# Three more reasons to join stretches: one text goes on behind what the other one has alone, an advert or cut, ...
_SKIPPED = 12.0  # ... with at most this between on its own side ...
_WHOLE = 0.97  # ... and at least this share of its letters there shared;
_SEAM = 2  # or it goes on behind them with the very letter, give or take so many, ...
_BESIDE = 80  # ... at most so many of them, ...
_NEARLY_WHOLE = 0.92  # ... though letters at the seams of the cut one count as differences;
_SHIFT = 8  # or as many letters, give or take so many, lie between on both sides, no more than either stretch has.

SAME_DOCUMENT = 0.45  # two texts that share this much of both are versions of one


@dataclass(frozen=True, slots=True)
class Stretch:
    """One copied stretch by its letters, ends exclusive; weight as in `block_weights`."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    weight: float
    covered: float  # what the page's letters inside blocks tell
    blocks: tuple[int, ...]  # the numbers of those that it is made of

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """First and last letters on both sides, ends exclusive."""
        return self.page_start, self.page_end, self.work_start, self.work_end


def stretches(blocks: Blocks, page: NDArray[np.uint8], page_told: Floats, work_told: Floats) -> list[Stretch]:
    """Gather blocks into stretches, in the order of the page, those lighter than a passage too. page: its letters."""
    weights = block_weights(blocks, page_told)
    if len(weights) == 1:  # as with most works that share a sentence: nothing rivals it, nothing is to be gathered
        start, end, work_start, work_end = (int(column[0]) for column in blocks[:4])
        return [
            Stretch(start, end, work_start, work_end, float(weights[0]), float(page_told[end] - page_told[start]), (0,))
        ]
    kept = explaining(blocks, weights, page_told, work_told)
    bounds = [column[kept].tolist() for column in blocks[:4]]
    covered = (page_told[blocks.page_end[kept]] - page_told[blocks.page_start[kept]]).tolist()
    columns = (*bounds, weights[kept].tolist(), covered, [(number,) for number in kept.tolist()])
    single = [Stretch(*row) for row in zip(*columns, strict=True)]

    @cache
    def own() -> Floats:
        return _without(page_told, recurring(page, blocks.page_start[kept], blocks.page_end[kept], _LONGEST))

    gaps = _Gaps(page_told, work_told, own)
    groups = [reduce(together, group) for group in gaps.split(single)]
    return gaps.join(groups)


def _without(told: Floats, silent: NDArray[np.bool_]) -> Floats:
    """What the letters before each place tell, where these tell nothing."""
    sums = np.zeros_like(told)
    np.cumsum(np.where(silent, 0.0, np.diff(told)), out=sums[1:])
    return sums


def touching_joined(parts: Sequence[Stretch]) -> list[Stretch]:
    """Make one of neighbours that have come to touch on both sides."""
    joined: list[Stretch] = []
    for part in sorted(parts, key=lambda one: one.bounds):
        last = joined[-1] if joined else None
        if (
            last
            and part.page_start - last.page_end <= _SKIPPED
            and max(part.work_start - last.work_end, last.work_start - part.work_end) <= _SKIPPED
        ):
            joined[-1] = together(last, part)
        else:
            joined.append(part)
    return joined


def same_document(parts: Sequence[Stretch], page_told: Floats, work_told: Floats) -> bool:
    """Whether two texts are versions of one document."""
    of_page = covered((page_told[part.page_start], page_told[part.page_end]) for part in parts)
    of_work = covered((work_told[part.work_start], work_told[part.work_end]) for part in parts)
    return bool(min(of_page / page_told[-1], of_work / work_told[-1]) >= SAME_DOCUMENT)


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """What the spans cover together."""
    total = reach = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def together(a: Stretch, b: Stretch) -> Stretch:
    """Both as one, with what lies between them."""
    return Stretch(
        min(a.page_start, b.page_start),
        max(a.page_end, b.page_end),
        min(a.work_start, b.work_start),
        max(a.work_end, b.work_end),
        a.weight + b.weight,
        a.covered + b.covered,
        a.blocks + b.blocks,
    )


class _Gaps:
    """What lies between stretches of two texts. own: what the page's letters tell, furniture left out; asked where that
    decides.
    """

    def __init__(self, page_told: Floats, work_told: Floats, own: Callable[[], Floats]) -> None:
        self._page, self._work, self._own = page_told, work_told, own

    def _apart(self, a: Stretch, b: Stretch) -> float:
        """What lies on the page between a and b behind it; furniture tells nothing where it is most of that."""
        start, end = a.page_end, b.page_start
        if end <= start:
            return 0.0
        whole = self._page[end] - self._page[start]
        again = 2 * (min(a.work_end, b.work_end) - max(a.work_start, b.work_start)) > b.work_end - b.work_start
        if whole > FURNITURE or again:
            return float(whole)
        own = self._own()[end] - self._own()[start]
        return float(own if own <= _OWN * whole else whole)

    def split(self, parts: list[Stretch]) -> list[list[Stretch]]:
        """Groups with no gap over `GAP` on either side: split on one, then on the other, until nothing splits."""
        done: list[list[Stretch]] = []
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

    def _split_on(self, parts: list[Stretch], *, by_work: bool) -> list[list[Stretch]]:
        told = self._work if by_work else self._page
        first = 2 if by_work else 0
        groups: list[list[Stretch]] = []
        gaps: list[float] = []
        last = None  # the part that reaches furthest
        for part in sorted(parts, key=lambda one: one.bounds[first]):
            gap = 0.0
            if last and by_work:
                gap = float(told[part.work_start] - told[last.work_end])
            elif last:
                gap = self._apart(last, part)
            if groups and gap <= GAP:
                groups[-1].append(part)
            else:
                gaps.append(gap)
                groups.append([part])
            last = part if not last or part.bounds[first + 1] >= last.bounds[first + 1] else last
        woven = groups[:1]
        for gap, group in zip(gaps[1:], groups[1:], strict=True):
            if gap <= WOVEN_GAP and self._woven(woven[-1], group, by_work=not by_work):
                woven[-1] = woven[-1] + group
            else:
                woven.append(group)
        return woven

    def _woven(self, a: list[Stretch], b: list[Stretch], *, by_work: bool) -> bool:
        """Whether two groups interlock on a side and fill it together: pieces of one shuffled passage."""
        told = self._work if by_work else self._page
        first = 2 if by_work else 0
        spans = [[(told[one.bounds[first]], told[one.bounds[first + 1]]) for one in group] for group in (a, b)]
        starts = [min(start for start, _ in group) for group in spans]
        ends = [max(end for _, end in group) for group in spans]
        shared = min(ends) - max(starts)
        smaller = min(end - start for start, end in zip(starts, ends, strict=True))
        filled = covered(spans[0] + spans[1]) / (max(ends) - min(starts))
        return bool(shared >= smaller / 2 and filled >= _FILLED)

    def join(self, parts: Sequence[Stretch]) -> list[Stretch]:
        """Join neighbours along the page, the nearest for their size first."""
        joined = sorted(parts, key=lambda part: part.bounds)
        costs = [self._distance(a, b) for a, b in pairwise(joined)]
        while costs and min(costs) <= GAP_SHARE:
            at = costs.index(min(costs))
            joined[at : at + 2] = [together(joined[at], joined[at + 1])]
            costs[at : at + 1] = []
            for touched in (at - 1, at):
                if 0 <= touched < len(costs):
                    costs[touched] = self._distance(joined[touched], joined[touched + 1])
        return joined

    def _distance(self, a: Stretch, b: Stretch) -> float:
        """What lies between on both sides, as a share of the smaller stretch; 0 where one text goes on in b."""
        page_gap = self._apart(a, b)
        work_gap = max(
            self._work[b.work_start] - self._work[a.work_end], self._work[a.work_start] - self._work[b.work_end], 0.0
        )
        if self._seam(a, b):
            return 0.0
        if max(page_gap, work_gap) > BREAK or self._long(a, b, page_gap):
            return inf
        of_page = self._page[max(a.page_end, b.page_end)] - self._page[a.page_start]
        of_work = self._work[max(a.work_end, b.work_end)] - self._work[min(a.work_start, b.work_start)]
        weight = a.weight + b.weight
        inserted = work_gap <= _SKIPPED and weight >= _WHOLE * of_work
        left_out = page_gap <= _SKIPPED and weight >= _WHOLE * of_page
        if inserted or left_out or self._rewritten(a, b):
            return 0.0
        return float((page_gap + work_gap) / (2 * min(a.covered, b.covered)))

    def _seam(self, a: Stretch, b: Stretch) -> bool:
        """Whether the one text goes on in b with the very letter where it stopped in a, not far behind in the other.

        Both are whole on that side.
        """
        on_page, in_work = b.page_start - a.page_end, b.work_start - a.work_end
        weight = a.weight + b.weight
        of_page = self._page[b.page_end] - self._page[a.page_start]
        of_work = self._work[b.work_end] - self._work[a.work_start]
        put_in = abs(in_work) <= _SEAM and on_page <= _BESIDE and weight >= _WHOLE * of_work
        left_out = abs(on_page) <= _SEAM and 0 < in_work <= _BESIDE and weight >= _NEARLY_WHOLE * of_page
        return put_in or left_out

    def _long(self, a: Stretch, b: Stretch, page_gap: float) -> bool:
        """Whether very many letters lie between, though they tell little; furniture does not count."""
        furniture = page_gap < self._page[b.page_start] - self._page[a.page_end]
        on_page = 0 if furniture else b.page_start - a.page_end
        in_work = max(b.work_start - a.work_end, a.work_start - b.work_end)
        return max(on_page, in_work) > _BREAK_LETTERS

    def _rewritten(self, a: Stretch, b: Stretch) -> bool:
        """Whether b goes on where a would have come to, had it gone on letter by letter."""
        on_page, in_work = b.page_start - a.page_end, b.work_start - a.work_end
        longest = min(a.covered, b.covered)
        return min(on_page, in_work) >= 0 and max(on_page, in_work) <= longest and abs(on_page - in_work) <= _SHIFT
