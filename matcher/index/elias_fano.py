"""Encode buckets of postings in the compact form of Elias and Fano.

The records of a bucket are sorted. Their n residues of b bits have the form of Elias and Fano (Vigna, Quasi-succinct
indices, WSDM 2013). The low k bits of a residue stand in its row. The high bits form a string of bits, in which the
i-th record with the high bits h sets bit h + i. A zero separates the ones of h and of h + 1, so skipping zeros finds
the records of a residue. A row has the document's number, the position plus 1 (0 is a mark) and the low bits of the
residue, each as wide as the widest in the bucket.

    header: n (32 bits), width of a number (8), of a position (8), k (8), unused (8)
    high bits: n + 2**(b - k), to the next byte
    rows: n of them, to the next byte
    zeros: until the length is a multiple of eight plus four

A stored bucket is such a form or nothing, followed by appended records of eight bytes. Its length shows whether it
begins with a form.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled_as_called

RECORD_BYTES = 8
RESIDUE_BITS = 11  # a change requires a rebuild of stored indexes
RESIDUE_MASK = np.uint64((1 << RESIDUE_BITS) - 1)

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_RESIDUE_SHIFT, _NUMBER_SHIFT = np.uint64(48), np.uint64(16)  # their offsets in a record, in bits
_HOT_MARK, _POSITION_MASK = np.uint64(0x8000), np.uint64(0x7FFF)
_NUMBER_MASK = np.uint64((1 << 32) - 1)
_STORED_MASK = np.uint64((1 << (48 + RESIDUE_BITS)) - 1)
HEADER_BYTES = 8
_TAIL_BYTES = 4  # remainder of a form's length by eight
_BIT_COUNTS = np.array([byte.bit_count() for byte in range(256)], np.int64)


def concatenate_buckets(strings: Sequence[bytes | None]) -> tuple[U8, I64]:
    """Concatenate stored strings, None where a bucket is missing, and return the offset of each.

    Zeros follow, so that all are whole words, and one more.
    """
    present = [string or b"" for string in strings]
    starts = np.zeros(len(present) + 1, np.int64)
    np.cumsum(list(map(len, present)), out=starts[1:])
    zeros = bytes(RECORD_BYTES + -int(starts[-1]) % RECORD_BYTES)
    return np.frombuffer(b"".join([*present, zeros]), np.uint8), starts


def pack_buckets(records: U64, starts: I64) -> list[bytes]:
    """Return the strings to store for buckets of sorted records. starts: i64[b + 1] into them.

    A bucket of few records remains uncompressed where that is shorter.
    """
    forms, begins = _pack_records(records, starts)
    raw = forms.tobytes()
    return [raw[begin:end] for begin, end in pairwise(begins.tolist())]


def unpack_buckets(strings: Sequence[bytes | None]) -> tuple[U64, I64]:
    """Return the records of stored strings in their stored order, and the offset of each bucket."""
    records: tuple[U64, I64] = _unpack_records(*concatenate_buckets(strings))
    return records


@compiled_as_called
def load_word(raw, offset):  # type: ignore[no-untyped-def]  # compiled
    """Load eight bytes as a little-endian number."""
    value = np.uint64(0)
    for byte in range(8):
        value |= np.uint64(raw[offset + byte]) << np.uint64(8 * byte)
    return value


@compiled_as_called
def read_bits(words, start, width):  # type: ignore[no-untyped-def]  # compiled
    """Read `width` bits from bit `start`, at most 57. words: the bytes as u64."""
    word, bit = np.uint64(start) >> np.uint64(6), np.uint64(start) & np.uint64(63)
    both = words[word] >> bit | words[word + np.uint64(1)] << np.uint64(1) << np.uint64(63) - bit
    return both & ((np.uint64(1) << np.uint64(width)) - np.uint64(1))


@compiled_as_called
def _store_bits(raw, start, value):  # type: ignore[no-untyped-def]  # compiled
    """Store a value of at most 57 bits at bit `start`, where the bits are zeros."""
    value <<= np.uint64(start & 7)
    byte = start >> 3
    while value:
        raw[byte] |= np.uint8(value & np.uint64(0xFF))
        value >>= np.uint64(8)
        byte += 1


@compiled_as_called
def _bit_width(value):  # type: ignore[no-untyped-def]  # compiled
    """Return the number of bits of a value."""
    width = 0
    while value:
        value >>= np.uint64(1)
        width += 1
    return width


@compiled_as_called
def bucket_form(raw, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Return n, widths of number and position, k, bytes of high bits, and bytes of the form of a bucket.

    All are 0 where the bucket has no compact form.
    """
    if (end - begin) & 7 != _TAIL_BYTES:
        return 0, 0, 0, 0, 0, 0
    header = load_word(raw, begin)
    n = np.int64(header & _NUMBER_MASK)
    numbers, positions = (
        np.int64(header >> np.uint64(32) & np.uint64(255)),
        np.int64(header >> np.uint64(40) & np.uint64(255)),
    )
    low = np.int64(header >> np.uint64(48) & np.uint64(255))
    high, total = _form_sizes(n, numbers + positions + low, low)
    return n, numbers, positions, low, high, total


@compiled_as_called
def _form_sizes(n, row, low):  # type: ignore[no-untyped-def]  # compiled
    """Return the bytes of the high bits and of the whole form. row: bits of a row."""
    high = (n + (1 << (RESIDUE_BITS - low)) + 7) >> 3
    bare = HEADER_BYTES + high + ((n * row + 7) >> 3)
    return high, bare + ((_TAIL_BYTES - bare) & 7)


@compiled_as_called
def read_place(words, row, numbers, positions):  # type: ignore[no-untyped-def]  # compiled
    """Return number << 16 | position of the row that begins at this bit, as in a record."""
    number = read_bits(words, row, numbers)
    position = read_bits(words, row + numbers, positions)
    return number << _NUMBER_SHIFT | (position - np.uint64(1) if position else _HOT_MARK)


@compiled_as_called
def find_first(raw, start, high):  # type: ignore[no-untyped-def]  # compiled
    """Return the first possible record with these high bits, and its bit. start: first byte of the high bits."""
    zeros = 0
    byte = start
    while zeros + 8 - _BIT_COUNTS[raw[byte]] < high:
        zeros += 8 - _BIT_COUNTS[raw[byte]]
        byte += 1
    bit = (byte - start) * 8
    while zeros < high:
        zeros += 1 - (raw[start + (bit >> 3)] >> (bit & 7) & 1)
        bit += 1
    return bit - high, bit


@compiled_as_called
def is_bit_set(raw, start, bit):  # type: ignore[no-untyped-def]  # compiled
    """Whether this bit behind the byte `start` is set."""
    return raw[start + (bit >> 3)] >> (bit & 7) & 1 == 1


@compiled_as_called
def _unpack_records(raw, starts):  # type: ignore[no-untyped-def]  # compiled
    """Return the records of all buckets, and the offset of each bucket."""
    counts = np.zeros(len(starts), np.int64)
    for bucket in range(len(starts) - 1):
        n, _, _, _, _, total = bucket_form(raw, starts[bucket], starts[bucket + 1])
        counts[bucket + 1] = counts[bucket] + n + (starts[bucket + 1] - starts[bucket] - total) // RECORD_BYTES
    records = np.empty(counts[-1], np.uint64)
    words = raw.view(np.uint64)
    for bucket in range(len(starts) - 1):
        begin, first = starts[bucket], counts[bucket]
        n, numbers, positions, low, high, total = bucket_form(raw, begin, starts[bucket + 1])
        row = numbers + positions + low
        bit = 0
        for i in range(n):
            while not is_bit_set(raw, begin + HEADER_BYTES, bit):
                bit += 1
            row_start = (begin + HEADER_BYTES + high) * 8 + i * row
            residue = np.uint64(bit - i) << np.uint64(low) | read_bits(words, row_start + numbers + positions, low)
            records[first + i] = residue << _RESIDUE_SHIFT | read_place(words, row_start, numbers, positions)
            bit += 1
        for i in range(counts[bucket + 1] - first - n):
            records[first + n + i] = load_word(raw, begin + total + i * RECORD_BYTES) & _STORED_MASK
    return records, counts


@compiled_as_called
def _bucket_shape(records):  # type: ignore[no-untyped-def]  # compiled
    """Return the widths of number and position, and k, for the records of one bucket."""
    number, position = np.uint64(0), np.uint64(0)
    for record in records:
        number = max(number, record >> _NUMBER_SHIFT & _NUMBER_MASK)
        if not record & _HOT_MARK:
            position = max(position, (record & _POSITION_MASK) + np.uint64(1))
    low = max(0, RESIDUE_BITS - _bit_width(np.uint64(len(records))))
    return _bit_width(number), _bit_width(position), low


@compiled_as_called
def _pack_records(records, starts):  # type: ignore[no-untyped-def]  # compiled
    """Return the bytes of all buckets in their shortest form, and the offset of each."""
    begins = np.zeros(len(starts), np.int64)
    for bucket in range(len(starts) - 1):
        bucket_records = records[starts[bucket] : starts[bucket + 1]]
        size = len(bucket_records) * RECORD_BYTES
        if size:
            numbers, positions, low = _bucket_shape(bucket_records)
            size = min(size, _form_sizes(len(bucket_records), numbers + positions + low, low)[1])
        begins[bucket + 1] = begins[bucket] + size
    raw = np.zeros(begins[-1] + RECORD_BYTES, np.uint8)
    for bucket in range(len(starts) - 1):
        bucket_records = records[starts[bucket] : starts[bucket + 1]]
        begin = begins[bucket]
        if (begins[bucket + 1] - begin) & 7 == 0:
            for i in range(len(bucket_records)):
                _store_bits(raw, (begin + i * RECORD_BYTES) * 8, bucket_records[i] & _NUMBER_MASK)
                _store_bits(raw, (begin + i * RECORD_BYTES + 4) * 8, bucket_records[i] >> np.uint64(32))
            continue
        numbers, positions, low = _bucket_shape(bucket_records)
        row = numbers + positions + low
        high, _ = _form_sizes(len(bucket_records), row, low)
        _store_bits(
            raw,
            begin * 8,
            np.uint64(len(bucket_records))
            | np.uint64(numbers) << np.uint64(32)
            | np.uint64(positions) << np.uint64(40),
        )
        _store_bits(raw, (begin + 6) * 8, np.uint64(low))
        for i in range(len(bucket_records)):
            residue = bucket_records[i] >> _RESIDUE_SHIFT
            bit = (begin + HEADER_BYTES) * 8 + np.int64(residue >> np.uint64(low)) + i
            _store_bits(raw, bit, np.uint64(1))
            position = (
                np.uint64(0) if bucket_records[i] & _HOT_MARK else (bucket_records[i] & _POSITION_MASK) + np.uint64(1)
            )
            lowest = residue & ((np.uint64(1) << np.uint64(low)) - np.uint64(1))
            row_start = (begin + HEADER_BYTES + high) * 8 + i * row
            _store_bits(raw, row_start, bucket_records[i] >> _NUMBER_SHIFT & _NUMBER_MASK)
            _store_bits(raw, row_start + numbers, position | lowest << np.uint64(positions))
    return raw[: begins[-1]], begins
