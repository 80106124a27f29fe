"""Text that is written backwards (。家国个一这 for 这一个国家。), found and read the right way round.

To turn the characters of a text, of its lines or of its sentences round is a common way past a filter of words.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprinter.normalize.common_pairs import (
    common_pairs,
    count_tagged,
    has_pair,
    pairs_before,
    pairs_in,
    turned_pairs,
    turned_tags,
)

_LEAST = 3  # different pairs the wrong way round, from which a stretch was turned; fewer are chance ...
LEAST_ALONE = 2  # ... unless all of the text is
_MIXED = 2  # pairs of either way in a line, from which its sentences are looked at one by one
_DENSE = 1 / 250  # pairs for each code point of such a stretch, at least; most have one in thirty
_CLEARLY = 4  # so many times those the right way round in it, and such pairs elsewhere: characters swapped give both
_OFTEN = 3  # a text does not change its way more than once in so many pairs
_NEWLINE = 10
_SENTENCE_ENDS = [_NEWLINE, *map(ord, "。！？!?")]

_Points = NDArray[np.uint32]
_Sums = NDArray[np.int32]


def backwards_order(points: _Points) -> NDArray[np.int64] | None:
    """The order in which a text's code points can be read: i64[n], a permutation; None where it is as they stand.

    points: u32[n]. Stretches that run backwards are turned round where they are; a single sentence may be too short to
    tell.
    """
    if count_tagged(points, turned_tags()) < LEAST_ALONE:
        return None
    turned = pairs_before(points, *turned_pairs())
    if turned[-1] < _LEAST and has_pair(points, *common_pairs()):
        return None
    ahead = pairs_before(points, *common_pairs())
    runs = _turned_runs(points, ahead, turned)
    order = np.arange(len(points))
    for begin, end in runs:
        order[begin:end] = order[begin:end][::-1]
    return order if runs else None


def _turned_runs(points: _Points, ahead: _Sums, turned: _Sums) -> list[tuple[int, int]]:
    """Stretches of whole sentences that run backwards, ends exclusive."""
    told = turned - ahead
    balances = [(begin, int(told[end] - told[begin])) for begin, end in _parts(points, ahead, turned)]
    least = _LEAST if ahead[-1] else LEAST_ALONE
    runs = _runs(balances)
    if _OFTEN * (len(runs) - 1) > sum(abs(balance) for _, balance in runs):
        return []  # both ways by turns: no language, but characters at random
    found = [
        (begin, end)
        for (begin, balance), (end, _) in pairwise([*runs, (len(points), 0)])
        if balance >= max(least, _DENSE * (end - begin), _CLEARLY * (ahead[end] - ahead[begin]))
        and len(set(pairs_in(points[begin:end], turned_pairs()))) >= least
    ]
    inside = sum(turned[end] - turned[begin] for begin, end in found)
    return found if turned[-1] - inside <= inside / _CLEARLY + 1 else []


def _runs(balances: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where runs of one way begin, and what their parts tell together.

    What tells nothing goes with what stands before it, at the beginning with what follows.
    """
    runs: list[tuple[int, int]] = []
    for begin, balance in balances:
        if balance and runs and (balance > 0) == (runs[-1][1] > 0):
            runs[-1] = runs[-1][0], runs[-1][1] + balance
        elif balance:
            runs.append((begin if runs else 0, balance))
    return runs


def _parts(points: _Points, ahead: _Sums, turned: _Sums) -> Iterator[tuple[int, int]]:
    """Lines, and sentences of the lines that have more pairs of both ways than chance gives."""
    for begin, end in _cut(points, 0, len(points), [_NEWLINE]):
        if min(ahead[end] - ahead[begin], turned[end] - turned[begin]) >= _MIXED:
            yield from _cut(points, begin, end, _SENTENCE_ENDS)
        else:
            yield begin, end


def _cut(points: _Points, begin: int, end: int, ends: list[int]) -> Iterator[tuple[int, int]]:
    """[begin, end) cut behind each of these code points."""
    cuts = np.flatnonzero(np.isin(points[begin:end], ends)) + (begin + 1)
    return pairwise(dict.fromkeys([begin, *cuts.tolist(), end]))
