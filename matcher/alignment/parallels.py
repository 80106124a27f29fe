"""List every passage that two texts share, or that one text repeats, whatever explains it.

`local_alignment` selects the passages that explain a page. Here nothing is selected: a phrase that stands three times
on one side is three parallels.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np

from fingerprinter.alphabet import Initials
from matcher.alignment.local_alignment import AlignedPassage, align_blocks_apart
from matcher.alignment.seed_and_extend import SEED_LENGTH, Blocks, find_blocks

_PART_INITIALS: Final = (
    16_384  # initials of a part of a long text, as one pair of parts gives a bounded number of blocks
)
_OVERLAP_INITIALS: Final = 256  # initials that neighbouring parts share, so that few passages are cut
_MAX_DRIFT: Final = 12  # initials by which two blocks of one passage may differ in their diagonals

_Bounds = tuple[int, int, int, int]  # page start and end, work start and end, in initials


def find_parallels(
    text: str, initials: Initials, other_text: str, other: Initials, shortest: int
) -> list[AlignedPassage]:
    """Return the passages of two texts with at least `shortest` same characters, in the order of the first text."""
    bounds = [
        bounds
        for part, other_part in product(_split(len(initials)), _split(len(other)))
        for bounds in _find_bounds(initials, part, other, other_part, shortest)
    ]
    return _make_passages(text, initials, other_text, other, bounds, shortest)


def find_repetitions(text: str, initials: Initials, shortest: int) -> list[AlignedPassage]:
    """Return the passages that a text has twice, the earlier place as the page's. No two places overlap."""
    bounds = [
        (start, end, other_start, other_end)
        for part, other_part in _halves(0, len(initials), shortest)
        for start, end, other_start, other_end in _find_bounds(initials, part, initials, other_part, shortest)
        if end <= other_start
    ]
    return _make_passages(text, initials, text, initials, bounds, shortest)


def _split(length: int) -> list[tuple[int, int]]:
    return [
        (begin, min(length, begin + _PART_INITIALS + _OVERLAP_INITIALS)) for begin in range(0, length, _PART_INITIALS)
    ]


def _halves(begin: int, end: int, shortest: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield pairs of parts, so that any two places of a text lie in one pair."""
    if end - begin < 2 * shortest:
        return
    middle = (begin + end) // 2
    left, right = (begin, min(end, middle + _OVERLAP_INITIALS)), (max(begin, middle - _OVERLAP_INITIALS), end)
    yield from product(_cut(*left), _cut(*right))
    yield from _halves(begin, middle, shortest)
    yield from _halves(middle, end, shortest)


def _cut(begin: int, end: int) -> list[tuple[int, int]]:
    return [(begin + first, begin + last) for first, last in _split(end - begin)]


def _find_bounds(
    page: Initials, part: tuple[int, int], work: Initials, work_part: tuple[int, int], shortest: int
) -> Iterator[_Bounds]:
    blocks = find_blocks(page.codes[slice(*part)], work.codes[slice(*work_part)], shortest, SEED_LENGTH)
    for start, end, work_start, work_end in zip(*(column.tolist() for column in blocks[:4]), strict=True):
        yield part[0] + start, part[0] + end, work_part[0] + work_start, work_part[0] + work_end


def _make_passages(
    text: str, initials: Initials, other_text: str, other: Initials, all_bounds: Sequence[_Bounds], shortest: int
) -> list[AlignedPassage]:
    bounds = np.array(_merge(all_bounds), np.int32).reshape(-1, 4)
    if not len(bounds):
        return []
    starts, ends, other_starts, other_ends = np.ascontiguousarray(bounds.T)
    blocks = Blocks(starts, ends, other_starts, other_ends, np.zeros(len(bounds), np.int32))
    aligned = align_blocks_apart(text, initials, other_text, other, blocks)
    return [passage for passage in aligned if passage.same_letters >= shortest]


def _merge(all_bounds: Sequence[_Bounds]) -> list[_Bounds]:
    """Join what overlaps on both sides along one diagonal: the same passage, seen from two pairs of parts."""
    merged: list[_Bounds] = []
    pending: list[_Bounds] = []  # those that a later one may still overlap
    for bounds in sorted(set(all_bounds)):
        joined = bounds
        apart = []
        for earlier in pending:
            if earlier[1] < joined[0]:
                merged.append(earlier)
            elif _is_same_passage(earlier, joined):
                joined = (
                    earlier[0],
                    max(earlier[1], joined[1]),
                    min(earlier[2], joined[2]),
                    max(earlier[3], joined[3]),
                )
            else:
                apart.append(earlier)
        pending = [*apart, joined]
    return sorted([*merged, *pending])


def _is_same_passage(first: _Bounds, second: _Bounds) -> bool:
    drift = (second[0] - second[2]) - (first[0] - first[2])
    return second[2] <= first[3] and first[2] <= second[3] and abs(drift) <= _MAX_DRIFT
