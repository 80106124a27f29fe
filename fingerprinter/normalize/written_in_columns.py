"""Text that is laid out in columns, to be read downwards, from the right or from the left.

Chinese was long written so; today it is a way past a filter of words, for which the rows make no sense.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.common_pairs import common_pairs, pairs_before, pairs_in, turned_pairs

LEAST_ROWS = 4
_LEAST_COLUMNS = 3
_LEAST = 3  # common pairs downwards, not all the same (the columns of a table may repeat one) ...
_CLEARLY = 3  # ... and so many times those along the rows
_NEWLINE, _LAST_ASCII = 10, 0x7F

_Points = NDArray[np.uint32]
_Places = NDArray[np.int64]


def column_order(points: _Points) -> _Places | None:
    """The order in which a text's columns can be read: i64[n], a permutation; None where it has none.

    points: u32[n], code points.
    """
    if not has_rows(points):
        return None
    order = None
    for begin, end, width in _blocks(points).tolist():
        read = _downwards(points[begin:end], width)
        if read is not None:
            order = np.arange(len(points)) if order is None else order
            order[begin:end] = begin + read
    return order


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def has_rows(points: _Points) -> bool:
    """Whether there are blocks, told at memory speed."""
    rows = 0
    length = 0
    begin = 0
    for place in range(len(points)):
        if points[place] == _NEWLINE:
            same = _LEAST_COLUMNS <= place - begin <= length <= place - begin + 1
            rows = rows + 1 if same else 1
            length = place - begin
            begin = place + 1
            if rows >= LEAST_ROWS - 1:  # the last row may end with the text
                return True
    return False


@compiled("i8[:,::1](Array(u4, 1, 'C', readonly=True))")
def _blocks(points: _Points) -> NDArray[np.int64]:
    """Lines that follow each other with one length, the last ones shorter by one at most: begin, end, length."""
    found = np.empty((len(points) // (LEAST_ROWS * _LEAST_COLUMNS) + 1, 3), np.int64)
    count = 0
    rows = 0
    first = 0
    last = 0
    begin = 0
    start = 0
    for place in range(len(points) + 1):
        if place < len(points) and points[place] != _NEWLINE:
            continue
        length = place - begin
        goes_on = length >= _LEAST_COLUMNS and first - 1 <= length <= last
        if rows >= LEAST_ROWS and not goes_on:
            found[count] = start, begin - 1, first
            count += 1
        if not goes_on:
            start, first, rows = begin, length, 0
        rows += 1
        last = length
        begin = place + 1
    if rows >= LEAST_ROWS:
        found[count] = start, len(points), first
        count += 1
    return found[:count].copy()


def _downwards(block: _Points, width: int) -> _Places | None:
    """The order in which the columns of a block of lines make sense; None where they make none."""
    rows = block[block > _LAST_ASCII]  # what stands between the cells of a row does not part its words
    along = max(pairs_before(rows, *pairs)[-1] for pairs in (common_pairs(), turned_pairs())) if len(rows) else 0
    read, found = max(
        (
            (read, pairs_in(block[read], common_pairs()))
            for read in (_read(block, width, True), _read(block, width, False))
        ),
        key=lambda way: len(way[1]),
    )
    return read if len(found) >= max(_LEAST, _CLEARLY * along) and len(set(found)) > 1 else None


@compiled("i8[::1](Array(u4, 1, 'C', readonly=True), i8, b1)")
def _read(block: _Points, width: int, from_right: bool) -> _Places:
    """Places column by column, and behind them those of the ends of the lines."""
    starts = np.append(0, np.flatnonzero(block == _NEWLINE) + 1)
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
