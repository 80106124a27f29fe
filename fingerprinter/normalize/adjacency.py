"""Estimate how much likelier two characters stand side by side in Chinese text than by chance.

The words of jieba's dictionary tell which characters end and begin words, and which pairs stand inside them.
"""

from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

ADJACENCY_FILE = "adjacency.npz"
NAT_PARTS = 16  # steps of a stored logarithm in one nat
PAIR_BITS = 21
UNKNOWN_PAIR = -128
_SLOT_SHIFT = np.uint64(64 - PAIR_BITS)
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF_BITS = np.uint64(32)
_PLANE = 0x10000  # characters beyond the first plane are unknown
# Measured on novels, news, histories and manuals against the same characters shuffled. Rarer outcomes say no more.
_RELIABILITY, _LEAST_NATS, _MOST_NATS = 0.8, -1.1, 3.0


class Adjacency(NamedTuple):
    """Logarithms in steps of 1 / `NAT_PARTS` nats.

    ends, starts: i8[65536], that a character ends or begins a word. pairs: i8[2**21], of pairs inside words.
    """

    ends: NDArray[np.int8]
    starts: NDArray[np.int8]
    pairs: NDArray[np.int8]


@cache
def load_adjacency() -> Adjacency:
    """Return the tables of this package, loaded once."""
    with (
        resources.files("fingerprinter").joinpath("tables", ADJACENCY_FILE).open("rb") as file,
        np.load(file) as stored,
    ):
        pairs = np.full(1 << PAIR_BITS, UNKNOWN_PAIR, np.int8)
        pairs[np.cumsum(stored["slot_steps"], dtype=np.int64)] = stored["pair_nats"]
        return Adjacency(stored["ends"], stored["starts"], pairs)


@compiled("i8(u4, u4)")
def pair_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Return the place of a pair in the table. Some pairs share one."""
    mixed = ((np.uint64(first) << _HALF_BITS) | np.uint64(second)) * _HASH_FACTOR
    return np.int64(mixed >> _SLOT_SHIFT)


@compiled("f4(u4, u4, i1[::1], i1[::1], i1[::1])")
def adjacency_nats(first, second, ends, starts, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return the nats by which two characters side by side favour text over chance. 0 where one is unknown."""
    if first >= _PLANE or second >= _PLANE:
        return np.float32(0.0)
    steps = max(np.int64(ends[first]) + np.int64(starts[second]), np.int64(pairs[pair_slot(first, second)]))
    return np.float32(min(max(steps * (_RELIABILITY / NAT_PARTS), _LEAST_NATS), _MOST_NATS))
