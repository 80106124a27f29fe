"""Define features, their parameters, and the packed form in which they are stored."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

ANCHOR_RADIUS = 3


FEATURE_SCHEME = "wenhen-1"
GRAM_UNITS = 12  # a Han letter counts two units, any other one
WINDOW_INITIALS = 24
MIN_WINDOW_HAN = 18  # Han letters in a window; frequencies of fewer say nothing
SHORT_TEXT_INITIALS = (
    40  # letters of a text that has too few anchors to count on, and has a gram at every letter instead
)
FEATURE_PARAMETERS: dict[str, int] = {
    "reading": 9,  # raised when the same text gives other letters
    "anchor_radius": ANCHOR_RADIUS,
    "gram_units": GRAM_UNITS,
    "window": WINDOW_INITIALS,
    "levels": 1,
    "least_han": MIN_WINDOW_HAN,
    "short": SHORT_TEXT_INITIALS,
}


# Features: the hashed units that the inverted index takes.


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """n features of a text.

    values: u64[n], well mixed hashes; positions: u32[n], the letter at which each begins, ascending.
    """

    values: NDArray[np.uint64]
    positions: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.values)


# Features as they are kept: five bytes for each value, and mostly half a byte for its place.
#
# An index compares at most 28 of a value's highest bits and its 11 lowest (`matcher.index.postings`), so these are
# kept, as a little-endian number of five bytes. A place is kept as its distance from the one before, in half bytes: as
# many of 15 as go into it, and one of what is left; 15 alone fills the last byte.


VALUE_BYTES: Final = 5
LOW_BITS: Final = np.uint64(11)
_LOW_MASK: Final = (np.uint64(1) << LOW_BITS) - np.uint64(1)
_SKIPPED_BITS: Final = np.uint64(
    64 - 8 * VALUE_BYTES
)  # bits between the low and the high ones, which no index asks for
STORED_HASH_BITS: Final = ~(((np.uint64(1) << _SKIPPED_BITS) - np.uint64(1)) << LOW_BITS)
_FULL_HALF_BYTE: Final = 15


def pack_values(values: NDArray[np.uint64]) -> bytes:
    """Return u64[n] in five bytes each."""
    numbers = (values >> (LOW_BITS + _SKIPPED_BITS) << LOW_BITS) | (values & _LOW_MASK)
    return numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :VALUE_BYTES].tobytes()


def unpack_values(packed: bytes) -> NDArray[np.uint64]:
    """Return u64[n], without the bits that no index asks for."""
    whole = np.zeros((len(packed) // VALUE_BYTES, 8), np.uint8)
    whole[:, :VALUE_BYTES] = np.frombuffer(packed, np.uint8).reshape(-1, VALUE_BYTES)
    numbers = whole.view("<u8").reshape(-1).astype(np.uint64)
    return (numbers >> LOW_BITS << (LOW_BITS + _SKIPPED_BITS)) | (numbers & _LOW_MASK)


def pack_positions(positions: NDArray[np.unsignedinteger]) -> bytes:
    """Return ascending letters as their distances, two half bytes in each byte, the lower one first."""
    whole, left = np.divmod(np.diff(positions.astype(np.int64), prepend=0), _FULL_HALF_BYTE)
    count = len(whole) + int(whole.sum())
    halves = np.full(count + count % 2, _FULL_HALF_BYTE, np.uint8)
    halves[np.cumsum(whole + 1) - 1] = left
    return (halves[::2] | halves[1::2] << 4).tobytes()


def unpack_positions(packed: bytes) -> NDArray[np.uint32]:
    """Return u32[n], ascending."""
    both = np.frombuffer(packed, np.uint8)
    halves = np.stack((both & _FULL_HALF_BYTE, both >> 4), axis=1).reshape(-1)
    ends: NDArray[np.uint32] = np.cumsum(halves, dtype=np.uint32)[halves != _FULL_HALF_BYTE]
    return ends


def repack_features(positions: bytes, values: bytes) -> tuple[bytes, bytes]:
    """Return what the form of before, little-endian u16[n] and u64[n], is today."""
    return pack_positions(np.frombuffer(positions, "<u2")), pack_values(np.frombuffer(values, "<u8"))


# Features as they are stored: a long text cut into segments, so that a position fits 16 bits and a record MongoDB.


SEGMENT_LETTERS = 32_768


@dataclass(frozen=True, slots=True)
class Segment:
    """The packed features that begin in one stretch of a text.

    start: letter at which it begins; letters: how many it has. positions, ascending letters from `start`, and values
    are packed as in `fingerprinter.features.model`.
    """

    start: int
    letters: int
    positions: bytes = field(repr=False)
    values: bytes = field(repr=False)


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


def unpack_features(positions: bytes, values: bytes) -> Features:
    """The features of one segment, positions counted from its start; of the values, what an index asks for."""
    return Features(values=unpack_values(values), positions=unpack_positions(positions))
