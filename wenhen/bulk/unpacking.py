"""Unpack WARC, ARC and WACZ files as streams. Each part has its offset in the file."""

import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, NamedTuple

from crawler.archives.warc_pages import begins_with_record

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP_MAGIC: Final = b"\x1f\x8b\x08"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"  # a skippable frame, as IIPC proposes for .warc.zst
BLOCK_BYTES: Final = 8 << 20  # bytes of a file that are read at once
MAX_DICTIONARY_BYTES: Final = 16 << 20
# Pages compress to a tenth or a fiftieth. A member with a higher ratio than this is a decompression bomb.
MAX_RATIO: Final = 400  # unpacked bytes per packed byte of a member ...
MIN_BOMB_BYTES: Final = 64 << 20  # ... if the member unpacks to more bytes than this
PROBE_BYTES: Final = 512  # packed bytes that suffice to recognise the beginning of a record

ReadRange = Callable[[int, int], bytes]


class Packing(NamedTuple):
    """The compression format of the members of a file.

    step: packed bytes that are unpacked at once. It limits what is lost before damage, and what a bomb unpacks.
    """

    magic: bytes
    make: Callable[[], Any]
    step: int


GZIP: Final = Packing(GZIP_MAGIC, lambda: zlib.decompressobj(31), 4 << 10)


class UnpackedPart(NamedTuple):
    """Unpacked bytes.

    offset: offset of the packed member in the file, or of the bytes themselves if they are not packed. damaged: the
    following bytes cannot be unpacked, or the file is truncated there.
    """

    content: bytes
    offset: int
    packed: bool = True
    damaged: bool = False


class BlockReader:
    """Reads the bytes of a file of known size in blocks."""

    def __init__(self, read: ReadRange, size: int) -> None:
        self._read = read
        self.size = size
        self._begin = 0
        self._block = b""

    def peek(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from this offset on; fewer at the end of the file."""
        end = min(offset + size, self.size)
        if not (self._begin <= offset and end <= self._begin + len(self._block)):
            self._begin = offset
            self._block = self._read(offset, min(max(end, offset + BLOCK_BYTES), self.size))
        return self._block[offset - self._begin : end - self._begin]

    def find(self, mark: bytes, offset: int, end: int) -> int | None:
        """Return the first offset of `mark` between `offset` and `end`, or None."""
        while offset < end:
            block = self.peek(offset, min(BLOCK_BYTES, end + len(mark) - 1 - offset))
            position = block.find(mark)
            if position >= 0:
                return offset + position
            offset += max(1, len(block) - len(mark) + 1)
        return None


def unpack_archive(reader: BlockReader, begin: int, end: int) -> Iterator[UnpackedPart]:
    """Yield the unpacked records that begin in this byte range. The first bytes of the file tell its compression."""
    magic = reader.peek(0, len(ZSTD_MAGIC))
    if begin or magic.startswith(GZIP_MAGIC):
        yield from _unpack_members(reader, begin, end, GZIP)
    elif magic in (ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC):
        yield from _unpack_zstd(reader, magic)
    else:
        for offset in range(0, reader.size, BLOCK_BYTES):
            yield UnpackedPart(reader.peek(offset, BLOCK_BYTES), offset, packed=False)


def _unpack_zstd(reader: BlockReader, magic: bytes) -> Iterator[UnpackedPart]:
    dictionary, begin = None, 0
    if magic == ZSTD_DICTIONARY_MAGIC:
        head = len(magic) + 4
        begin = head + int.from_bytes(reader.peek(len(magic), 4), "little")
        content = reader.peek(head, min(begin - head, MAX_DICTIONARY_BYTES))
        try:
            if content.startswith(ZSTD_MAGIC):
                content = zstd.ZstdDecompressor().decompress(content, MAX_DICTIONARY_BYTES)
            dictionary = zstd.ZstdDict(content)
        except (zstd.ZstdError, ValueError):
            yield UnpackedPart(b"", 0, damaged=True)
            return
    packing = Packing(ZSTD_MAGIC, lambda: zstd.ZstdDecompressor(dictionary), 1 << 10)
    yield from _unpack_members(reader, begin, reader.size, packing)


def _unpack_members(reader: BlockReader, begin: int, end: int, packing: Packing) -> Iterator[UnpackedPart]:
    """Yield the members from the first record start in the range up to the first record start behind `end`."""
    offset: int | None = begin if begin == 0 or packing is not GZIP else _find_member(reader, begin, end, packing)
    while offset is not None and offset < reader.size:
        if offset >= end and _is_record_start(reader, offset, packing):
            return
        length = yield from _unpack_member(reader, offset, packing)
        offset = offset + length if length else _find_member(reader, offset + 1, end, packing)


def _unpack_member(reader: BlockReader, begin: int, packing: Packing) -> Generator[UnpackedPart, None, int]:
    """Yield the parts of one member.

    Returns its packed size in bytes; 0 if it is damaged or a decompression bomb.
    """
    member, offset, unpacked = packing.make(), begin, 0
    while not member.eof:
        packed = reader.peek(offset, packing.step)
        try:
            content = member.decompress(packed) if packed else None
        except (zlib.error, zstd.ZstdError):
            content = None
        unpacked += len(content or b"")
        endless = unpacked > MIN_BOMB_BYTES and unpacked > MAX_RATIO * (offset + len(packed) - begin)
        if content is None or endless:  # damaged, or truncated at the end of the file
            yield UnpackedPart(b"", begin, damaged=True)
            return 0
        yield UnpackedPart(content, begin)
        offset += len(packed)
    return offset - len(member.unused_data) - begin


def _find_member(reader: BlockReader, offset: int, end: int, packing: Packing) -> int | None:
    """Return the offset of the next member that begins with a record."""
    position = reader.find(packing.magic, offset, end)
    while position is not None and not _is_record_start(reader, position, packing):
        position = reader.find(packing.magic, position + 1, end)
    return position


def _is_record_start(reader: BlockReader, offset: int, packing: Packing) -> bool:
    try:
        return begins_with_record(packing.make().decompress(reader.peek(offset, PROBE_BYTES), PROBE_BYTES * 8))
    except (zlib.error, zstd.ZstdError):
        return False
