"""Restore the reading order of text that is reversed, set in columns or overridden by direction marks."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_statistics import (
    common_pairs,
    count_pairs_before,
    count_tagged,
    has_pair,
    list_pairs,
    turned_pairs,
    turned_tags,
)

# Text under a directional override (U+202E, Unicode Standard Annex 9), in display order.
#
# Text that is stored backwards behind the override displays normally on the page, but hides from a word filter.


OVERRIDE = "\u202e"
_OVERRIDE_POINT, _POP_DIRECTION, _LINE_FEED = ord(OVERRIDE), 0x202C, 10

_Points = NDArray[np.uint32]


def display_order(points: _Points) -> NDArray[np.int64] | None:
    """Return the display order of a text's code points: i64[n], a permutation. Return None without an override.

    points: u32[n]. An override ends with its mark or with the line. A nested override changes nothing.
    """
    return _fill_display_order(points) if (points == _OVERRIDE_POINT).any() else None


@compiled("i8[::1](Array(u4, 1, 'C', readonly=True))")
def _fill_display_order(points: _Points) -> NDArray[np.int64]:
    order = np.arange(len(points))
    begin = -1
    for place in range(len(points) + 1):
        ends = place == len(points) or points[place] == _POP_DIRECTION or points[place] == _LINE_FEED
        if begin >= 0 and ends:
            order[begin:place] = order[begin:place][::-1].copy()
            begin = -1
        elif begin < 0 and not ends and points[place] == _OVERRIDE_POINT:
            begin = place + 1
    return order


# Reversed text (。家国个一这 for 这一个国家。), detected and put into reading order.
#
# Reversing the characters of a text, of its lines or of its sentences is a common way to evade a word filter.


_MIN_REVERSED_PAIRS = 3  # different reversed pairs that prove a reversed stretch; fewer are chance ...
MIN_REVERSED_PAIRS_IN_TEXT = 2  # ... unless the whole text is reversed
_MIN_MIXED_PAIRS = 2  # pairs of either direction in a line, from which its sentences are checked one by one
_MIN_PAIR_DENSITY = 1 / 250  # reversed pairs for each code point of such a stretch, at least; most have one in thirty
_MIN_REVERSED_RATIO = (
    4  # ratio to the normal pairs in it, and to reversed pairs elsewhere: swapped characters give both kinds
)
_PAIRS_PER_TURN = 3  # a text does not change its direction more than once in so many pairs
_NEWLINE = 10
_SENTENCE_ENDS = [_NEWLINE, *map(ord, "。！？!?")]
_Sums = NDArray[np.int32]


def backwards_order(points: _Points) -> NDArray[np.int64] | None:
    """Return the reading order of partly reversed text: i64[n], a permutation. Return None if nothing is reversed.

    points: u32[n]. Reversed stretches are turned in place. A single sentence may be too short to tell.
    """
    if count_tagged(points, turned_tags()) < MIN_REVERSED_PAIRS_IN_TEXT:
        return None
    turned = count_pairs_before(points, *turned_pairs())
    if turned[-1] < _MIN_REVERSED_PAIRS and has_pair(points, *common_pairs()):
        return None
    ahead = count_pairs_before(points, *common_pairs())
    runs = _reversed_runs(points, ahead, turned)
    order = np.arange(len(points))
    for begin, end in runs:
        order[begin:end] = order[begin:end][::-1]
    return order if runs else None


def _reversed_runs(points: _Points, ahead: _Sums, turned: _Sums) -> list[tuple[int, int]]:
    """Return the stretches of whole sentences that are reversed, ends exclusive."""
    surplus = turned - ahead
    balances = [(begin, int(surplus[end] - surplus[begin])) for begin, end in _split_lines(points, ahead, turned)]
    least = _MIN_REVERSED_PAIRS if ahead[-1] else MIN_REVERSED_PAIRS_IN_TEXT
    runs = _group_runs(balances)
    if _PAIRS_PER_TURN * (len(runs) - 1) > sum(abs(balance) for _, balance in runs):
        return []  # alternating directions are no language, but random characters
    reversed_runs = [
        (begin, end)
        for (begin, balance), (end, _) in pairwise([*runs, (len(points), 0)])
        if balance >= max(least, _MIN_PAIR_DENSITY * (end - begin), _MIN_REVERSED_RATIO * (ahead[end] - ahead[begin]))
        and len(set(list_pairs(points[begin:end], turned_pairs()))) >= least
    ]
    inside = sum(turned[end] - turned[begin] for begin, end in reversed_runs)
    return reversed_runs if turned[-1] - inside <= inside / _MIN_REVERSED_RATIO + 1 else []


def _group_runs(balances: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the start and total balance of each run of one direction.

    A part without evidence joins the run before it, or at the beginning the run after it.
    """
    runs: list[tuple[int, int]] = []
    for begin, balance in balances:
        if balance and runs and (balance > 0) == (runs[-1][1] > 0):
            runs[-1] = runs[-1][0], runs[-1][1] + balance
        elif balance:
            runs.append((begin if runs else 0, balance))
    return runs


def _split_lines(points: _Points, ahead: _Sums, turned: _Sums) -> Iterator[tuple[int, int]]:
    """Yield lines. Split a line into sentences if it has more pairs of both directions than by chance."""
    for begin, end in _split_behind(points, 0, len(points), [_NEWLINE]):
        if min(ahead[end] - ahead[begin], turned[end] - turned[begin]) >= _MIN_MIXED_PAIRS:
            yield from _split_behind(points, begin, end, _SENTENCE_ENDS)
        else:
            yield begin, end


def _split_behind(points: _Points, begin: int, end: int, ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield [begin, end) split behind each of these code points."""
    cuts = np.flatnonzero(np.isin(points[begin:end], ends)) + (begin + 1)
    return pairwise(dict.fromkeys([begin, *cuts.tolist(), end]))


# Text set in columns, to be read downwards, from the right or from the left.
#
# This was long the usual layout of Chinese. Today it evades word filters, which see meaningless rows.


MIN_ROWS = 4
_MIN_COLUMNS = 3
_MIN_DOWNWARD_PAIRS = 3  # common pairs downwards, not all the same, because table columns may repeat one ...
_MIN_DOWNWARD_RATIO = 3  # ... and their ratio to the pairs along the rows
_ROW_END, _MAX_ASCII = 10, 0x7F
_Places = NDArray[np.int64]


def column_order(points: _Points) -> _Places | None:
    """Return the reading order of text in columns: i64[n], a permutation. Return None without columns.

    points: u32[n], code points.
    """
    if not has_rows(points):
        return None
    order = None
    for begin, end, width in _find_column_blocks(points).tolist():
        read = _downward_order(points[begin:end], width)
        if read is not None:
            order = np.arange(len(points)) if order is None else order
            order[begin:end] = begin + read
    return order


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def has_rows(points: _Points) -> bool:
    """Tell whether there are column blocks. It runs at memory speed."""
    rows = 0
    length = 0
    begin = 0
    for place in range(len(points)):
        if points[place] == _ROW_END:
            same = _MIN_COLUMNS <= place - begin <= length <= place - begin + 1
            rows = rows + 1 if same else 1
            length = place - begin
            begin = place + 1
            if rows >= MIN_ROWS - 1:  # the last row may end with the text
                return True
    return False


@compiled("i8[:,::1](Array(u4, 1, 'C', readonly=True))")
def _find_column_blocks(points: _Points) -> NDArray[np.int64]:
    """Find consecutive lines of one length, the last ones shorter by at most one: begin, end, length."""
    blocks = np.empty((len(points) // (MIN_ROWS * _MIN_COLUMNS) + 1, 3), np.int64)
    count = 0
    rows = 0
    first = 0
    last = 0
    begin = 0
    start = 0
    for place in range(len(points) + 1):
        if place < len(points) and points[place] != _ROW_END:
            continue
        length = place - begin
        goes_on = length >= _MIN_COLUMNS and first - 1 <= length <= last
        if rows >= MIN_ROWS and not goes_on:
            blocks[count] = start, begin - 1, first
            count += 1
        if not goes_on:
            start, first, rows = begin, length, 0
        rows += 1
        last = length
        begin = place + 1
    if rows >= MIN_ROWS:
        blocks[count] = start, len(points), first
        count += 1
    return blocks[:count].copy()


def _downward_order(block: _Points, width: int) -> _Places | None:
    """Return the order in which the columns of a block make sense, or None."""
    rows = block[block > _MAX_ASCII]  # spaces between the cells of a row do not separate its words
    along = max(count_pairs_before(rows, *pairs)[-1] for pairs in (common_pairs(), turned_pairs())) if len(rows) else 0
    read, pairs = max(
        (
            (read, list_pairs(block[read], common_pairs()))
            for read in (_list_by_column(block, width, True), _list_by_column(block, width, False))
        ),
        key=lambda way: len(way[1]),
    )
    return read if len(pairs) >= max(_MIN_DOWNWARD_PAIRS, _MIN_DOWNWARD_RATIO * along) and len(set(pairs)) > 1 else None


@compiled("i8[::1](Array(u4, 1, 'C', readonly=True), i8, b1)")
def _list_by_column(block: _Points, width: int, from_right: bool) -> _Places:
    """Return the positions column by column, then those of the line ends."""
    starts = np.append(0, np.flatnonzero(block == _ROW_END) + 1)
    ends = np.append(starts[1:] - 1, len(block))
    read = np.empty(len(block), np.int64)
    count = 0
    for column in range(width):
        for row in range(len(starts)):
            if column < ends[row] - starts[row]:
                read[count] = ends[row] - 1 - column if from_right else starts[row] + column
                count += 1
    read[count:] = ends[:-1]
    return read


def reading_order(points: NDArray[np.uint32]) -> NDArray[np.int64] | None:
    """Return the reading order of a text's code points: i64[n], a permutation. Return None if they are in order.

    points: u32[n]. Overridden text is read as displayed. Otherwise columns are read downwards, and reversed text is
    turned.
    """
    shown = display_order(points)
    if shown is not None:
        return shown
    columns = column_order(points)
    turned = backwards_order(points if columns is None else points[columns])
    if columns is None or turned is None:
        return turned if columns is None else columns
    return columns[turned]
