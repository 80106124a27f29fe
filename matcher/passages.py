"""From blocks to passages: what was copied in one go is one passage, whatever was put between, left out or moved about inside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.letters import DIGIT_0, LATIN_A
from matcher.blocks import Blocks

# What a letter tells, in Han letters: a Latin word is one choice of its writer and many letters.
_LATIN_WEIGHT = 0.3
_DIGIT_WEIGHT = 0.5

GAP = 36  # letters that may lie between two blocks of one passage on either side, whatever their size
GAP_SHARE = 0.3  # two stretches with more between them are one while that is at most this share of the smaller
_CROWD = 400  # blocks of a pair that are looked at; the strongest

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """One copied stretch by its letters, ends exclusive. weight: letters that agree less what differences cost, in Han letters."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    weight: float
    covered: int  # letters of the page inside blocks
    blocks: NDArray[np.int64]  # the blocks that it is made of


def letter_weights(codes: NDArray[np.uint8]) -> Floats:
    """f64[n]: what each letter tells, in Han letters."""
    table = np.ones(256)
    table[LATIN_A:DIGIT_0] = _LATIN_WEIGHT
    table[DIGIT_0:] = _DIGIT_WEIGHT
    return table[codes]


def block_weights(blocks: Blocks, codes: NDArray[np.uint8]) -> Floats:
    """f64[m]: half a block's score (so many letters agree in a block without a difference), each letter by what it tells."""
    sums = np.concatenate(([0.0], np.cumsum(letter_weights(codes))))
    mean = (sums[blocks.page_end] - sums[blocks.page_start]) / np.maximum(1, blocks.page_end - blocks.page_start)
    return blocks.score / 2 * mean


def stretches(blocks: Blocks, weights: Floats, sizes: tuple[int, int]) -> list[Stretch]:
    """Gather blocks into stretches, in the order of the page."""
    order = np.argsort(-weights, kind="stable")[:_CROWD].astype(np.int32)
    bounds = np.ascontiguousarray(np.stack(blocks[:4], axis=1)[order])
    kept = _unexplained(bounds, sizes[0], sizes[1])
    order, bounds = order[kept], bounds[kept]
    return _join([_stretch(bounds[group], weights, order[group].astype(np.int64)) for group in _split(bounds)])


def _stretch(bounds: Ints, weights: Floats, blocks: NDArray[np.int64]) -> Stretch:
    return Stretch(
        int(bounds[:, 0].min()),
        int(bounds[:, 1].max()),
        int(bounds[:, 2].min()),
        int(bounds[:, 3].max()),
        float(weights[blocks].sum()),
        int((bounds[:, 1] - bounds[:, 0]).sum()),
        blocks,
    )


@njit("b1[::1](i4[:,::1], i8, i8)", cache=True)
def _unexplained(bounds, page_size, work_size):  # type: ignore[no-untyped-def]  # compiled
    """Which blocks, strongest first, are not for their greater part explained by stronger ones already, on either side."""
    page = np.zeros(page_size, np.bool_)
    work = np.zeros(work_size, np.bool_)
    kept = np.zeros(len(bounds), np.bool_)
    for block in range(len(bounds)):
        first, last = bounds[block, 0], bounds[block, 1]
        first_work, last_work = bounds[block, 2], bounds[block, 3]
        if 2 * page[first:last].sum() > last - first:
            continue
        if 2 * work[first_work:last_work].sum() > last_work - first_work and last - first < 40:
            continue
        kept[block] = True
        page[first:last] = True
        work[first_work:last_work] = True
    return kept


def _split(bounds: Ints) -> list[NDArray[np.int64]]:
    """Groups with no gap over `GAP` on either side: split on one side, then on the other, until nothing splits."""
    done: list[NDArray[np.int64]] = []
    waiting = [(np.arange(len(bounds)), 0, 0)]
    while waiting:
        group, side, settled = waiting.pop()
        if not len(group):
            continue
        group = group[np.argsort(bounds[group, 2 * side], kind="stable")]
        reach = np.maximum.accumulate(bounds[group, 2 * side + 1])
        cuts = np.flatnonzero(bounds[group[1:], 2 * side] - reach[:-1] > GAP) + 1
        if not len(cuts) and settled:
            done.append(group)
            continue
        waiting.extend((part, 1 - side, not len(cuts)) for part in np.split(group, cuts))
    return done


def _join(parts: Sequence[Stretch]) -> list[Stretch]:
    """Join neighbours along the page, the nearest for their size first."""
    joined = sorted(parts, key=lambda part: (part.page_start, part.work_start))
    costs = [_distance(a, b) for a, b in zip(joined, joined[1:], strict=False)]
    while costs and min(costs) <= GAP_SHARE:
        at = costs.index(min(costs))
        a, b = joined[at], joined[at + 1]
        joined[at : at + 2] = [
            Stretch(
                min(a.page_start, b.page_start),
                max(a.page_end, b.page_end),
                min(a.work_start, b.work_start),
                max(a.work_end, b.work_end),
                a.weight + b.weight,
                a.covered + b.covered,
                np.concatenate((a.blocks, b.blocks)),
            )
        ]
        costs[at : at + 1] = []
        for touched in (at - 1, at):
            if 0 <= touched < len(costs):
                costs[touched] = _distance(joined[touched], joined[touched + 1])
    return joined


def _distance(a: Stretch, b: Stretch) -> float:
    """What lies between two stretches on both sides, as a share of the smaller one."""
    page_gap = max(b.page_start - a.page_end, a.page_start - b.page_end, 0)
    work_gap = max(b.work_start - a.work_end, a.work_start - b.work_end, 0)
    return (page_gap + work_gap) / (2 * min(a.covered, b.covered))
