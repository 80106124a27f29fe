"""Find passages that kept their words but not their order.

Swapped words, synonyms, and repeated insertions or deletions break every run that `find_blocks` could extend. The
bigrams inside the words survive near their places. A bigram of Han characters tells as much as four initials. Latin
words do not count: a single term has ten bigrams.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import Blocks

_MAX_BIGRAM_OCCURRENCES = 8  # a bigram that is more frequent in the shorter text is ignored
_BAND_DIAGONALS = 16  # diagonals of one band
_MAX_BIGRAM_GAP = 12  # initials between two bigrams of one chain
_MIN_DISTINCT_BIGRAMS = 9  # different bigrams of a chain
_MIN_BIGRAM_DENSITY = 0.25  # bigrams of a chain for each initial that it spans
_BIGRAM_SCORE = 2  # score of a bigram: one initial
_MAX_CHAINS = 256  # chains of two texts
_FIRST_HAN = 0x3400

Points = NDArray[np.uint32]
_POINTS = "Array(u4, 1, 'C', readonly=True)"


def find_scattered_blocks(page: Points, work: Points) -> Blocks:
    """Find blocks of bigrams that two texts share, the heaviest of those that overlap.

    page, work: the code point of each initial. Time and memory grow with the sum of the lengths.
    """
    swapped = len(page) > len(work)
    short, long = (work, page) if swapped else (page, work)
    short_start, short_end, long_start, long_end, score = _find_disjoint_chains(
        *shared_bigrams(short, long), len(short)
    )
    if swapped:
        return Blocks(long_start, long_end, short_start, short_end, score)
    return Blocks(short_start, short_end, long_start, long_end, score)


@compiled(f"u8({_POINTS}, i8)")
def _bigram_number(points, offset):  # type: ignore[no-untyped-def]  # compiled
    """Return the two characters at this offset as one number, 0 where they are not both Han."""
    if points[offset] < _FIRST_HAN or points[offset + 1] < _FIRST_HAN:
        return np.uint64(0)
    return (np.uint64(points[offset]) << np.uint64(21)) | np.uint64(points[offset + 1])


@compiled(f"UniTuple(i4[::1], 2)({_POINTS}, {_POINTS})")
def shared_bigrams(short, long):  # type: ignore[no-untyped-def]  # compiled
    """Return the offsets of equal bigrams in the shorter and in the longer text, ascending in the longer."""
    bits = 10
    while (1 << bits) < 4 * len(short) and bits < 24:
        bits += 1
    mix, shift = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - bits)
    heads = np.zeros(1 << bits, np.int32)
    sizes = np.zeros(1 << bits, np.int32)
    following = np.empty(len(short), np.int32)
    for offset in range(len(short) - 1):
        bigram = _bigram_number(short, offset)
        if bigram:
            slot = (bigram * mix) >> shift
            following[offset] = heads[slot]
            heads[slot] = offset + 1
            sizes[slot] += 1
    in_short = np.empty(_MAX_BIGRAM_OCCURRENCES * len(long), np.int32)
    in_long = np.empty(_MAX_BIGRAM_OCCURRENCES * len(long), np.int32)
    count = 0
    for offset in range(len(long) - 1):
        bigram = _bigram_number(long, offset)
        slot = (bigram * mix) >> shift
        if not bigram or sizes[slot] > _MAX_BIGRAM_OCCURRENCES:
            continue
        link = heads[slot]
        while link > 0:
            if _bigram_number(short, link - 1) == bigram:
                in_short[count], in_long[count] = link - 1, offset
                count += 1
            link = following[link - 1]
    return in_short[:count].copy(), in_long[:count].copy()


@compiled("i8(i4[::1])")
def _count_distinct(offsets):  # type: ignore[no-untyped-def]  # compiled
    """Count the distinct numbers among ascending numbers."""
    count = 1
    for index in range(1, len(offsets)):
        count += offsets[index] != offsets[index - 1]
    return count


@compiled("i8[::1](i8[::1])")
def _order_by_band(bands):  # type: ignore[no-untyped-def]  # compiled
    """Return the numbers of the bigrams by bands, without those of bands that have too few of them for a chain.

    Within a band they keep their order: ascending in the longer text.
    """
    if len(bands) == 0:
        return bands
    lowest = bands.min()
    places = np.zeros(bands.max() - lowest + 1, np.int64)
    for band in bands:
        places[band - lowest] += 1
    total = 0
    for band in range(len(places)):
        size = places[band]
        places[band] = total if size >= _MIN_DISTINCT_BIGRAMS else -1
        total += size if size >= _MIN_DISTINCT_BIGRAMS else 0
    order = np.empty(total, np.int64)
    for number in range(len(bands)):
        place = places[bands[number] - lowest]
        if place >= 0:
            order[place] = number
            places[bands[number] - lowest] += 1
    return order


@compiled("i4[:,::1](i4[::1], i4[::1], i8)")
def _find_chains(in_short, in_long, origin):  # type: ignore[no-untyped-def]  # compiled
    """Find chains without a gap within each band of diagonals: their bounds in both texts, and bigrams."""
    bands = (in_long.astype(np.int64) - in_short + origin) // _BAND_DIAGONALS
    order = _order_by_band(bands)
    chains = np.empty((_MAX_CHAINS, 5), np.int32)
    count = 0
    first = 0
    while first < len(order) and count < _MAX_CHAINS:
        last = first + 1
        while (
            last < len(order)
            and bands[order[last]] == bands[order[first]]
            and in_long[order[last]] - in_long[order[last - 1]] <= _MAX_BIGRAM_GAP
        ):
            last += 1
        if last - first >= _MIN_DISTINCT_BIGRAMS:
            long_offsets = in_long[order[first:last]]
            short_offsets = np.sort(in_short[order[first:last]])
            bigrams = min(_count_distinct(short_offsets), _count_distinct(long_offsets))
            if bigrams >= _MIN_DISTINCT_BIGRAMS and bigrams >= _MIN_BIGRAM_DENSITY * (
                max(short_offsets[-1] - short_offsets[0], long_offsets[-1] - long_offsets[0]) + 2
            ):
                chains[count, 0], chains[count, 1] = short_offsets[0], short_offsets[-1] + 2
                chains[count, 2], chains[count, 3] = long_offsets[0], long_offsets[-1] + 2
                chains[count, 4] = bigrams
                count += 1
        first = last
    return chains[:count].copy()


@compiled("i4[:,::1](i4[::1], i4[::1], i8)")
def _find_disjoint_chains(in_short, in_long, short_letters):  # type: ignore[no-untyped-def]  # compiled
    """Return the chains, the heaviest first, that overlap no heavier one on both sides: i32[5, n].

    The rows are their bounds in both texts, and their scores. Bands of two shifts find most chains twice.
    """
    usual = _find_chains(in_short, in_long, short_letters)
    shifted = _find_chains(in_short, in_long, short_letters + _BAND_DIAGONALS // 2)
    chains = np.concatenate((usual, shifted))
    kept = np.empty((5, len(chains)), np.int32)
    count = 0
    for chain in np.argsort(-chains[:, 4], kind="mergesort"):
        short_start, short_end, long_start, long_end, bigrams = chains[chain]
        is_new = True
        for before in range(count):
            if min(short_end, kept[1, before]) > max(short_start, kept[0, before]) and min(
                long_end, kept[3, before]
            ) > max(long_start, kept[2, before]):
                is_new = False
                break
        if is_new:
            kept[0, count], kept[1, count] = short_start, short_end
            kept[2, count], kept[3, count] = long_start, long_end
            kept[4, count] = bigrams * _BIGRAM_SCORE
            count += 1
    return kept[:, :count].copy()
