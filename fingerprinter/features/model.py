"""Define features, their parameters and hashes, and the packed form in which they are stored.

Anchors are chosen by the smallest hash.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import LETTER_CODES
from fingerprinter.compiled import compiled

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
    distances = positions.astype(np.int32)
    distances[1:] -= distances[:-1].copy()
    whole = distances // _FULL_HALF_BYTE
    ends = np.cumsum(whole + 1)  # of the half bytes of each distance
    count = int(ends[-1]) if len(ends) else 0
    halves = np.full(count + count % 2, _FULL_HALF_BYTE, np.uint8)
    halves[ends - 1] = distances - whole * _FULL_HALF_BYTE
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


# Different seeds separate the kinds of feature in one index.
GRAM_SEED = 0x5F0E5F2B9D3A1C47
FREQUENCY_SEED = 0x1D8E4E27C47D124F
_HASH_STEP = 0x9E3779B97F4A7C15


@compiled("u8(u8, u8)")
def absorb_value(state: np.uint64, value: np.uint64) -> np.uint64:
    """Return the state after one more value."""
    return (state + value + np.uint64(1)) * np.uint64(_HASH_STEP)


@compiled("u8(u8)")
def finalize_hash(state: np.uint64) -> np.uint64:
    """Spread every bit of the state over the whole word (the finalizer of MurmurHash3, A. Appleby)."""
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xFF51AFD7ED558CCD)
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xC4CEB9FE1A85EC53)
    return state ^ (state >> np.uint64(33))


# Anchors: content-defined positions at which features begin.
#
# A position is an anchor if its pair of initials has the smallest hash within a radius. So every copy of a passage has
# the same anchors, wherever it moved. These are open syncmers with the smallest pair in the middle (R. Edgar, "Syncmers
# are more sensitive than minimizers for selecting conserved k-mers", PeerJ 2021). Unlike winnowing, both sides choose
# the same grams, so a query needs no more features than the index has.
#
# The factor is odd, so that no two pairs share a hash. The order of the products is as good as random.

# Odd, so that no two pairs share a hash; the order of the products is as good as random.
_PAIR_FACTOR = 0x9E3B


@compiled("u2[::1](Array(u1, 1, 'C', readonly=True))")
def pair_hashes(codes: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the injective hash of initials i and i + 1, u16[n - 1]."""
    hashes = np.empty(max(0, len(codes) - 1), np.uint16)
    for place in range(len(hashes)):
        hashes[place] = (codes[place] * LETTER_CODES + codes[place + 1]) * _PAIR_FACTOR
    return hashes


@compiled("u4[::1](u2[::1])")
def anchor_positions(hashes: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Return the ascending positions with the smallest hash within `ANCHOR_RADIUS`: the first of equals, none for
    repetition.
    """
    count = len(hashes)
    smallest = np.zeros(count, np.uint8)
    # Written out, so that the compiler vectorizes it.
    for place in range(ANCHOR_RADIUS, count - ANCHOR_RADIUS):
        here = hashes[place]
        smallest[place] = (
            (here < hashes[place - 3])
            & (here < hashes[place - 2])
            & (here < hashes[place - 1])
            & (here <= hashes[place + 1])
            & (here <= hashes[place + 2])
            & (here <= hashes[place + 3])
        )
    places = np.empty(count, np.uint32)
    anchors = 0
    for place in range(count):
        places[anchors] = place
        anchors += smallest[place]
    return places[:anchors]
