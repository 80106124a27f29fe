"""From blocks to passages: what was copied in one go is one passage, whatever was put between, left out or moved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.letters import DIGIT_0, LATIN_A
from matcher.blocks import Blocks

# What a letter tells, in Han letters: a Latin word is one choice of its writer and many letters.
_LATIN_WEIGHT = 0.4
_DIGIT_WEIGHT = 0.5

GAP = 32.0  # weight of letters that may lie between two blocks of one passage on either side, whatever their size
GAP_SHARE = 0.15  # stretches with more between them are one while that is at most this share of the smaller one
# Two more reasons to join stretches: the work goes on behind letters that were put in (weight) ...
ADVERT = 48.0
_SKIPPED = 8.0  # ... with at most this left out ...
_WHOLE = 0.7  # ... and at least this share of the work's letters taken over;
LEFT_OUT = 64.0  # or the page goes on behind letters of the work that were left out,
_PURE = 0.95  # and at least this share of the page's letters is the work's.
SAME_DOCUMENT = 0.45  # two texts that share this much of both are versions of one: whatever lies between is one passage
SPLINTER = 10.0  # weight from which a stretch counts for that
_BACKING = 0.5  # share of its own weight that a block gains at most from its neighbours
_CROWD = 400  # blocks of a pair that are looked at; the strongest

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """One copied stretch by its letters, ends exclusive; weight as in `block_weights`."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    weight: float
    blocks: NDArray[np.int64]  # those that it is made of

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """First and last letters on both sides, ends exclusive."""
        return self.page_start, self.page_end, self.work_start, self.work_end


class _Span(NamedTuple):
    """A group of blocks: where it lies, measured in what letters tell, and what its blocks cover of the page."""

    page_start: float
    page_end: float
    work_start: float
    work_end: float
    covered: float
    weight: float
    blocks: NDArray[np.int64]


def told(codes: NDArray[np.uint8]) -> Floats:
    """f64[n + 1]: what the letters before each place tell, in Han letters."""
    table = np.ones(256)
    table[LATIN_A:DIGIT_0] = _LATIN_WEIGHT
    table[DIGIT_0:] = _DIGIT_WEIGHT
    return np.concatenate(([0.0], np.cumsum(table[codes])))


def block_weights(blocks: Blocks, page_told: Floats) -> Floats:
    """f64[m]: letters that agree in a block less what its differences cost, each letter by what it tells."""
    mean = (page_told[blocks.page_end] - page_told[blocks.page_start]) / (blocks.page_end - blocks.page_start)
    weights: Floats = blocks.score / 2 * mean
    return weights


def stretches(blocks: Blocks, page_told: Floats, work_told: Floats) -> list[Stretch]:
    """Gather blocks into stretches, in the order of the page."""
    kept = explaining(blocks, page_told, work_told)
    weights = block_weights(blocks, page_told)
    letters = np.stack(blocks[:4], axis=1)
    places = _places(letters, page_told, work_told)
    spans = _join([_span(places[kept[group]], weights[kept[group]], kept[group]) for group in _split(places[kept])])
    spans = _same_document(spans, weights, float(page_told[-1]), float(work_told[-1]))
    return [_stretch(letters[span.blocks], weights[span.blocks], span.blocks) for span in spans]


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
            joined[-1] = Stretch(
                last.page_start,
                max(last.page_end, part.page_end),
                min(last.work_start, part.work_start),
                max(last.work_end, part.work_end),
                last.weight + part.weight,
                np.concatenate((last.blocks, part.blocks)),
            )
        else:
            joined.append(part)
    return joined


def explaining(blocks: Blocks, page_told: Floats, work_told: Floats) -> NDArray[np.int64]:
    """The blocks that say where a text comes from, of those that compete for one place only the likeliest."""
    weights = block_weights(blocks, page_told)
    order = np.argsort(-weights, kind="stable")[:_CROWD]
    if not len(order):
        return order
    letters = np.ascontiguousarray(np.stack(blocks[:4], axis=1)[order])
    places = _places(letters, page_told, work_told)
    kept: NDArray[np.int64] = order[_unexplained(letters, places, weights[order], len(page_told), len(work_told))]
    return kept


def _places(letters: Ints, page_told: Floats, work_told: Floats) -> Floats:
    return np.stack((page_told[letters[:, 0:2]], work_told[letters[:, 2:4]]), axis=1).reshape(-1, 4)


def _span(places: Floats, weights: Floats, blocks: NDArray[np.int64]) -> _Span:
    return _Span(
        float(places[:, 0].min()),
        float(places[:, 1].max()),
        float(places[:, 2].min()),
        float(places[:, 3].max()),
        float((places[:, 1] - places[:, 0]).sum()),
        float(weights.sum()),
        blocks,
    )


def _stretch(letters: Ints, weights: Floats, blocks: NDArray[np.int64]) -> Stretch:
    return Stretch(
        int(letters[:, 0].min()),
        int(letters[:, 1].max()),
        int(letters[:, 2].min()),
        int(letters[:, 3].max()),
        float(weights.sum()),
        blocks,
    )


@njit("i8[::1](i4[:,::1], f8[:,::1], f8[::1], i8, i8)", cache=True)
def _unexplained(letters, places, weights, page_size, work_size):  # type: ignore[no-untyped-def]  # compiled
    """The blocks that are not for their greater part explained by heavier ones.

    Neighbours back a block, less the further away they are: of several places of a text that repeats itself, the one
    beside the rest of the passage counts.
    """
    m = len(letters)
    support = np.zeros(m, np.float64)
    for a in range(m):
        for b in range(a):
            page_gap = max(places[a, 0] - places[b, 1], places[b, 0] - places[a, 1], GAP)
            work_gap = max(places[a, 2] - places[b, 3], places[b, 2] - places[a, 3], GAP)
            page_overlap = min(letters[a, 1], letters[b, 1]) - max(letters[a, 0], letters[b, 0])
            work_overlap = min(letters[a, 3], letters[b, 3]) - max(letters[a, 2], letters[b, 2])
            if page_overlap > 0 or work_overlap > 0:
                continue  # rivals
            near = GAP / max(page_gap, work_gap)
            support[a] += near * weights[b]
            support[b] += near * weights[a]
    page = np.zeros(page_size, np.bool_)
    work = np.zeros(work_size, np.bool_)
    kept = np.empty(m, np.int64)
    count = 0
    backed = weights * (1.0 + _BACKING * support / max(1.0, support.max()))
    for block in np.argsort(-backed, kind="mergesort"):
        first, last = letters[block, 0], letters[block, 1]
        first_work, last_work = letters[block, 2], letters[block, 3]
        if 2 * page[first:last].sum() > last - first:
            continue
        if 2 * work[first_work:last_work].sum() > last_work - first_work and last - first < 40:
            continue
        kept[count] = block
        count += 1
        page[first:last] = True
        work[first_work:last_work] = True
    return np.sort(kept[:count])


def _split(places: Floats) -> list[NDArray[np.int64]]:
    """Groups with no gap over `GAP` on either side: split on one side, then on the other, until nothing splits."""
    done: list[NDArray[np.int64]] = []
    waiting = [(np.arange(len(places)), 0, False)]
    while waiting:
        group, side, settled = waiting.pop()
        group = group[np.argsort(places[group, 2 * side], kind="stable")]
        reach = np.maximum.accumulate(places[group, 2 * side + 1])
        cuts = np.flatnonzero(places[group[1:], 2 * side] - reach[:-1] > GAP) + 1
        if len(cuts):
            waiting.extend((part, 1 - side, False) for part in np.split(group, cuts))
        elif settled:
            done.append(group)
        else:
            waiting.append((group, 1 - side, True))
    return done


def _join(parts: Sequence[_Span]) -> list[_Span]:
    """Join neighbours along the page, the nearest for their size first."""
    joined = sorted(parts, key=lambda part: part[:3])
    costs = [_distance(a, b) for a, b in pairwise(joined)]
    while costs and min(costs) <= GAP_SHARE:
        at = costs.index(min(costs))
        joined[at : at + 2] = [_together(joined[at], joined[at + 1])]
        costs[at : at + 1] = []
        for touched in (at - 1, at):
            if 0 <= touched < len(costs):
                costs[touched] = _distance(joined[touched], joined[touched + 1])
    return joined


def _same_document(parts: list[_Span], weights: Floats, page_told: float, work_told: float) -> list[_Span]:
    """Make one of the parts of two versions of a document."""
    firm = [part for part in parts if weights[part.blocks].sum() >= SPLINTER]
    of_page = covered([(part.page_start, part.page_end) for part in firm]) / page_told
    of_work = covered([(part.work_start, part.work_end) for part in firm]) / work_told
    return [reduce(_together, firm)] if firm and min(of_page, of_work) >= SAME_DOCUMENT else parts


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """What the spans cover together."""
    total = reach = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def _together(a: _Span, b: _Span) -> _Span:
    return _Span(
        min(a.page_start, b.page_start),
        max(a.page_end, b.page_end),
        min(a.work_start, b.work_start),
        max(a.work_end, b.work_end),
        a.covered + b.covered,
        a.weight + b.weight,
        np.concatenate((a.blocks, b.blocks)),
    )


def _distance(a: _Span, b: _Span) -> float:
    """What lies between two spans on both sides, as a share of the smaller one; 0 where one text goes on in b."""
    page_gap = max(b.page_start - a.page_end, a.page_start - b.page_end, 0.0)
    work_gap = max(b.work_start - a.work_end, a.work_start - b.work_end, 0.0)
    of_page = max(a.page_end, b.page_end) - min(a.page_start, b.page_start)
    of_work = max(a.work_end, b.work_end) - min(a.work_start, b.work_start)
    if page_gap <= ADVERT and work_gap <= _SKIPPED and a.weight + b.weight >= _WHOLE * of_work:
        return 0.0
    if page_gap <= _SKIPPED and work_gap <= LEFT_OUT and a.weight + b.weight >= _PURE * of_page:
        return 0.0
    return (page_gap + work_gap) / (2 * min(a.covered, b.covered))
