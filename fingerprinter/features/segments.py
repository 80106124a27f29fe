"""Features as they are stored: a long text cut into segments, so that a position fits 16 bits and a record MongoDB."""

from dataclasses import dataclass, field

import numpy as np

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import features
from fingerprinter.letters import Letters
from store.rules.library.packed_features import pack_positions, pack_values, unpack_positions, unpack_values

SEGMENT_LETTERS = 32_768


@dataclass(frozen=True, slots=True)
class Segment:
    """The packed features that begin in one stretch of a text.

    start: letter at which it begins; letters: how many it has. positions, ascending letters from `start`, and values
    are packed as in `store.rules.library.packed_features`.
    """

    start: int
    letters: int
    positions: bytes = field(repr=False)
    values: bytes = field(repr=False)


def pack(letters: Letters) -> list[Segment]:
    """The segments of a text that have features, in order; none for a text too short for any.

    The features are made from the whole text before it is cut, so that none is lost at a boundary.
    """
    return pack_features(features(letters), len(letters))


def pack_features(made: Features, count: int) -> list[Segment]:
    """The segments of a text of `count` letters whose features are `made`."""
    starts = range(0, count, SEGMENT_LETTERS)
    cuts = np.searchsorted(made.positions, [*starts, count]).tolist()
    return [
        Segment(
            start=start,
            letters=min(SEGMENT_LETTERS, count - start),
            positions=pack_positions(made.positions[begin:end] - np.uint32(start)),
            values=pack_values(made.values[begin:end]),
        )
        for start, begin, end in zip(starts, cuts, cuts[1:], strict=False)
        if begin < end
    ]


def unpack(positions: bytes, values: bytes) -> Features:
    """The features of one segment, positions counted from its start; of the values, what an index asks for."""
    return Features(values=unpack_values(values), positions=unpack_positions(positions))
