"""Features as they are kept: five bytes for each value, and mostly half a byte for its place.

An index compares at most 28 of a value's highest bits and its 11 lowest (`matcher.index.postings`), so these are kept,
as a little-endian number of five bytes. A place is kept as its distance from the one before, in half bytes: as many
of 15 as go into it, and one of what is left; 15 alone fills the last byte.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

VALUE_BYTES: Final = 5
LOW_BITS: Final = np.uint64(11)
_LOW: Final = (np.uint64(1) << LOW_BITS) - np.uint64(1)
_SKIPPED: Final = np.uint64(64 - 8 * VALUE_BYTES)  # bits between the low and the high ones, which no index asks for
KEPT_BITS: Final = ~(((np.uint64(1) << _SKIPPED) - np.uint64(1)) << LOW_BITS)
_FULL: Final = 15


def pack_values(values: NDArray[np.uint64]) -> bytes:
    """Return u64[n] in five bytes each."""
    numbers = (values >> (LOW_BITS + _SKIPPED) << LOW_BITS) | (values & _LOW)
    return numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :VALUE_BYTES].tobytes()


def unpack_values(packed: bytes) -> NDArray[np.uint64]:
    """Return u64[n], without the bits that no index asks for."""
    whole = np.zeros((len(packed) // VALUE_BYTES, 8), np.uint8)
    whole[:, :VALUE_BYTES] = np.frombuffer(packed, np.uint8).reshape(-1, VALUE_BYTES)
    numbers = whole.view("<u8").reshape(-1).astype(np.uint64)
    return (numbers >> LOW_BITS << (LOW_BITS + _SKIPPED)) | (numbers & _LOW)


def pack_positions(positions: NDArray[np.unsignedinteger]) -> bytes:
    """Return ascending letters as their distances, two half bytes in each byte, the lower one first."""
    whole, left = np.divmod(np.diff(positions.astype(np.int64), prepend=0), _FULL)
    count = len(whole) + int(whole.sum())
    halves = np.full(count + count % 2, _FULL, np.uint8)
    halves[np.cumsum(whole + 1) - 1] = left
    return (halves[::2] | halves[1::2] << 4).tobytes()


def unpack_positions(packed: bytes) -> NDArray[np.uint32]:
    """Return u32[n], ascending."""
    both = np.frombuffer(packed, np.uint8)
    halves = np.stack((both & _FULL, both >> 4), axis=1).reshape(-1)
    ends: NDArray[np.uint32] = np.cumsum(halves, dtype=np.uint32)[halves != _FULL]
    return ends


def repacked(positions: bytes, values: bytes) -> tuple[bytes, bytes]:
    """Return what the form of before, little-endian u16[n] and u64[n], is today."""
    return pack_positions(np.frombuffer(positions, "<u2")), pack_values(np.frombuffer(values, "<u8"))
