"""Find passages that kept their words but not their order.

Words that swap places, synonyms, and words put in or left out again and again break every run that `read_blocks`
could grow from; the pairs inside the words stay, and stay near where they were. A pair of the same Han characters tells
as much as four letters. Latin words do not count: a single term has ten pairs.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import Blocks

_MAX_PAIR_OCCURRENCES = 8  # a pair that stands more often than this in the shorter text tells nothing
_BAND_DIAGONALS = 16  # diagonals that lie together
_MAX_PAIR_GAP = 12  # letters between two pairs of one chain
_MIN_DIFFERENT_PAIRS = 9  # different pairs of a chain
_MIN_PAIR_DENSITY = 0.25  # pairs of a chain for each letter that it spans
_PAIR_SCORE = 2  # of a pair: one letter
_MAX_CHAINS = 256  # chains of two texts
_FIRST_HAN = 0x3400

Points = NDArray[np.uint32]
_POINTS = "Array(u4, 1, 'C', readonly=True)"


def find_scattered_blocks(page: Points, work: Points) -> Blocks:
    """Blocks of pairs that two texts share, the heaviest of those that overlap.

    page, work: the code point of each letter. Time and memory grow with the sum of the lengths.
    """
    swapped = len(page) > len(work)
    short, long = (work, page) if swapped else (page, work)
    in_short, in_long = _shared_pairs(short, long)
    chains = np.concatenate(
        [_find_chains(in_short, in_long, len(short) + shift) for shift in (0, _BAND_DIAGONALS // 2)]
    )
    chains = chains[np.argsort(-chains[:, 4], kind="stable")]
    kept = chains[_mask_disjoint(chains)]
    first, second = kept[:, 0:2].T, kept[:, 2:4].T
    if swapped:
        first, second = second, first
    columns = (first[0], first[1], second[0], second[1], kept[:, 4] * _PAIR_SCORE)
    return Blocks(*(np.ascontiguousarray(column, np.int32) for column in columns))


@compiled(f"u8({_POINTS}, i8)")
def _pair_number(points, place):  # type: ignore[no-untyped-def]  # compiled
    """The two characters at this place as one number; 0 where they are not both Han."""
    if points[place] < _FIRST_HAN or points[place + 1] < _FIRST_HAN:
        return np.uint64(0)
    return (np.uint64(points[place]) << np.uint64(21)) | np.uint64(points[place + 1])


@compiled(f"UniTuple(i4[::1], 2)({_POINTS}, {_POINTS})")
def _shared_pairs(short, long):  # type: ignore[no-untyped-def]  # compiled
    """Where the same pair stands in the shorter and in the longer text; places, ascending in the latter."""
    bits = 10
    while (1 << bits) < 4 * len(short) and bits < 24:
        bits += 1
    mix, shift = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - bits)
    heads = np.zeros(1 << bits, np.int32)
    sizes = np.zeros(1 << bits, np.int32)
    following = np.empty(len(short), np.int32)
    for place in range(len(short) - 1):
        pair = _pair_number(short, place)
        if pair:
            slot = (pair * mix) >> shift
            following[place] = heads[slot]
            heads[slot] = place + 1
            sizes[slot] += 1
    in_short = np.empty(_MAX_PAIR_OCCURRENCES * len(long), np.int32)
    in_long = np.empty(_MAX_PAIR_OCCURRENCES * len(long), np.int32)
    count = 0
    for place in range(len(long) - 1):
        pair = _pair_number(long, place)
        slot = (pair * mix) >> shift
        if not pair or sizes[slot] > _MAX_PAIR_OCCURRENCES:
            continue
        link = heads[slot]
        while link > 0:
            if _pair_number(short, link - 1) == pair:
                in_short[count], in_long[count] = link - 1, place
                count += 1
            link = following[link - 1]
    return in_short[:count].copy(), in_long[:count].copy()


@compiled("i8(i4[::1])")
def _count_different(places):  # type: ignore[no-untyped-def]  # compiled
    """How many of these ascending numbers are different."""
    count = 1
    for at in range(1, len(places)):
        count += places[at] != places[at - 1]
    return count


@compiled("i4[:,::1](i4[::1], i4[::1], i8)")
def _find_chains(in_short, in_long, origin):  # type: ignore[no-untyped-def]  # compiled
    """Chains without a gap within each band of diagonals: where in the shorter and in the longer text, and pairs."""
    bands = (in_long.astype(np.int64) - in_short + origin) // _BAND_DIAGONALS
    order = np.argsort(bands, kind="mergesort")  # stable: ascending in the longer text within a band
    found = np.empty((_MAX_CHAINS, 5), np.int32)
    count = 0
    first = 0
    while first < len(order) and count < _MAX_CHAINS:
        last = first + 1
        while (
            last < len(order)
            and bands[order[last]] == bands[order[first]]
            and in_long[order[last]] - in_long[order[last - 1]] <= _MAX_PAIR_GAP
        ):
            last += 1
        if last - first >= _MIN_DIFFERENT_PAIRS:
            theirs = in_long[order[first:last]]
            mine = np.sort(in_short[order[first:last]])
            pairs = min(_count_different(mine), _count_different(theirs))
            if pairs >= _MIN_DIFFERENT_PAIRS and pairs >= _MIN_PAIR_DENSITY * (
                max(mine[-1] - mine[0], theirs[-1] - theirs[0]) + 2
            ):
                found[count, 0], found[count, 1] = mine[0], mine[-1] + 2
                found[count, 2], found[count, 3] = theirs[0], theirs[-1] + 2
                found[count, 4] = pairs
                count += 1
        first = last
    return found[:count].copy()


@compiled("b1[::1](i4[:,::1])")
def _mask_disjoint(chains):  # type: ignore[no-untyped-def]  # compiled
    """Which chains overlap none before them that is kept, on both sides: the bands of two shifts find most twice."""
    kept = np.ones(len(chains), np.bool_)
    for at in range(len(chains)):
        for before in range(at):
            if (
                kept[before]
                and min(chains[at, 1], chains[before, 1]) > max(chains[at, 0], chains[before, 0])
                and min(chains[at, 3], chains[before, 3]) > max(chains[at, 2], chains[before, 2])
            ):
                kept[at] = False
                break
    return kept
