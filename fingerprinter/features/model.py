"""Define features, their parameters, and the packed form in which they are stored."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

ANCHOR_RADIUS = 3


FEATURE_SCHEME = "wenhen-1"
GRAM_UNITS = 12  # a Han initial counts two units, any other one
WINDOW_INITIALS = 24
MIN_WINDOW_HAN = 18  # Han initials of a window: fewer have no meaningful frequencies
SHORT_TEXT_INITIALS = (
    40  # letters of a text that has too few anchors to count on, and has a gram at every letter instead
)
FEATURE_PARAMETERS: dict[str, int] = {
    "reading": 9,  # raised when the same text gives other initials
    "anchor_radius": ANCHOR_RADIUS,
    "gram_units": GRAM_UNITS,
    "window": WINDOW_INITIALS,
    "levels": 1,
    "least_han": MIN_WINDOW_HAN,
    "short": SHORT_TEXT_INITIALS,
}


# Features: the hashed units of the inverted index.


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The n features of a text.

    values: u64[n], well mixed hashes. positions: u32[n], the initials at which they begin, ascending.
    """

    values: NDArray[np.uint64]
    positions: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.values)


# The packed form of features: five bytes a value, and mostly half a byte a position.
#
# An index compares at most the 28 highest and 11 lowest bits of a value (`matcher.index.postings`). So these are
# stored, as little-endian numbers of five bytes. A position is stored as the distance from the one before, in half
# bytes: as many of 15 as go into it, and the remainder. A lone 15 fills the last byte.


VALUE_BYTES: Final = 5
LOW_BITS: Final = np.uint64(11)
_LOW_MASK: Final = (np.uint64(1) << LOW_BITS) - np.uint64(1)
_SKIPPED_BITS: Final = np.uint64(
    64 - 8 * VALUE_BYTES
)  # bits between the low and the high ones, which no index compares
STORED_HASH_BITS: Final = ~(((np.uint64(1) << _SKIPPED_BITS) - np.uint64(1)) << LOW_BITS)
_FULL_HALF_BYTE: Final = 15


def pack_values(values: NDArray[np.uint64]) -> bytes:
    """Pack u64[n] into five bytes each."""
    numbers = (values >> (LOW_BITS + _SKIPPED_BITS) << LOW_BITS) | (values & _LOW_MASK)
    return numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :VALUE_BYTES].tobytes()


def unpack_values(packed: bytes) -> NDArray[np.uint64]:
    """Return u64[n], without the bits that no index compares."""
    whole = np.zeros((len(packed) // VALUE_BYTES, 8), np.uint8)
    whole[:, :VALUE_BYTES] = np.frombuffer(packed, np.uint8).reshape(-1, VALUE_BYTES)
    numbers = whole.view("<u8").reshape(-1).astype(np.uint64)
    return (numbers >> LOW_BITS << (LOW_BITS + _SKIPPED_BITS)) | (numbers & _LOW_MASK)


def pack_positions(positions: NDArray[np.unsignedinteger]) -> bytes:
    """Pack ascending positions as distances, two half bytes a byte, the lower one first."""
    whole, left = np.divmod(np.diff(positions.astype(np.int64), prepend=0), _FULL_HALF_BYTE)
    count = len(whole) + int(whole.sum())
    halves = np.full(count + count % 2, _FULL_HALF_BYTE, np.uint8)
    halves[np.cumsum(whole + 1) - 1] = left
    return (halves[::2] | halves[1::2] << 4).tobytes()


def unpack_positions(packed: bytes) -> NDArray[np.uint32]:
    """Return ascending positions, u32[n]."""
    both = np.frombuffer(packed, np.uint8)
    halves = np.stack((both & _FULL_HALF_BYTE, both >> 4), axis=1).reshape(-1)
    ends: NDArray[np.uint32] = np.cumsum(halves, dtype=np.uint32)[halves != _FULL_HALF_BYTE]
    return ends


def repack_features(positions: bytes, values: bytes) -> tuple[bytes, bytes]:
    """Convert the earlier form, little-endian u16[n] and u64[n], to the present one."""
    return pack_positions(np.frombuffer(positions, "<u2")), pack_values(np.frombuffer(values, "<u8"))


# Stored features: a long text is cut into segments, so that a position fits 16 bits and a record fits MongoDB.


SEGMENT_LETTERS = 32_768


@dataclass(frozen=True, slots=True)
class Segment:
    """The packed features that begin in one segment of a text.

    start: its first initial. letters: the number of its initials. positions (counted from `start`) and values are
    packed as above.
    """

    start: int
    letters: int
    positions: bytes = field(repr=False)
    values: bytes = field(repr=False)


def pack_features(made: Features, count: int) -> list[Segment]:
    """Return the segments of a text of `count` initials with the features `made`."""
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
    """Return the features of one segment, with positions from its start and values without uncompared bits."""
    return Features(values=unpack_values(values), positions=unpack_positions(positions))
