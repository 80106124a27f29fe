"""Mobipocket and Kindle books, .mobi .prc .azw .azw3, whose text is markup in the records of a Palm database.

The fields are those of https://wiki.mobileread.com/wiki/MOBI, the compression that of PalmDOC.
"""

import re
import struct
from collections.abc import Iterator, Sequence

from crawler.extract.charset import decode
from crawler.extract.files.document import Document, DocumentPart, PartKind
from crawler.extract.files.markup import chapter_of
from store.errors import Unreadable

PLAIN, PALMDOC = 1, 2
ENCODING, EXTH_FLAGS, EXTRA_DATA = 0x1C, 0x80, 0xF2  # places in the first record
AUTHOR, TITLE = 100, 503  # records of the EXTH
PAGE_BREAK = re.compile(rb"<mbp:pagebreak[^>]*>|</html>", re.IGNORECASE)
CHARSETS = {1252: "windows-1252", 65001: "utf-8"}
LONGEST_RECORD = 1 << 16  # bytes, unpacked; the format has 4,096


def read_mobi(content: bytes) -> Document:
    """The text of a book by its page breaks. Raises `Unreadable` for one that is locked, broken, or of the compression
    HUFF/CDIC, which next to none but locked books have.
    """
    try:
        records = list(_records(content))
        head = records[0]
        compression, _, _, count, _, encryption = struct.unpack_from(">HHIHHH", head)
        if encryption:
            raise Unreadable("documents.locked")
        if compression not in (PLAIN, PALMDOC):
            raise Unreadable("documents.huffman")
        body = b"".join(_text_records(head, records[1 : count + 1], compression))
        charset = CHARSETS.get(_charset(head))
        stated = dict(_stated(head))
    except (struct.error, IndexError) as error:
        raise Unreadable("documents.broken", kind="MOBI", error=str(error)) from None
    chapters = [chapter_of(decode(part, charset).text)[1] for part in PAGE_BREAK.split(body)]
    parts = tuple(
        DocumentPart(PartKind.CHAPTER, number, paragraphs)
        for number, paragraphs in enumerate(filter(None, chapters), 1)
    )
    title, author = (decode(stated[name], charset).text if name in stated else None for name in (TITLE, AUTHOR))
    return Document(parts, title=title, author=author)


def _records(content: bytes) -> Iterator[bytes]:
    (count,) = struct.unpack_from(">H", content, 76)
    starts = [struct.unpack_from(">I", content, 78 + 8 * at)[0] for at in range(count)]
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        yield content[start:end]


def _text_records(head: bytes, records: Sequence[bytes], compression: int) -> Iterator[bytes]:
    extra = _extra_data(head)
    for record in records:
        text = _without_extra(record, extra)
        yield text if compression == PLAIN else _unpacked(text)


def _is_mobi(head: bytes) -> bool:
    return head[16:20] == b"MOBI"


def _charset(head: bytes) -> int:
    return int(struct.unpack_from(">I", head, ENCODING)[0]) if _is_mobi(head) else 0


def _extra_data(head: bytes) -> int:
    """What stands behind the text in each record, a bit each."""
    long = _is_mobi(head) and struct.unpack_from(">I", head, 20)[0] >= EXTRA_DATA - 16 + 2
    return int(struct.unpack_from(">H", head, EXTRA_DATA)[0]) if long else 0


def _without_extra(record: bytes, flags: int) -> bytes:
    """The bytes at the end tell how many there are: seven bits each, the last one first (bit 0: two bits of one)."""
    for _ in range((flags >> 1).bit_count()):
        size = 0
        for shift, byte in enumerate(reversed(record[-4:])):
            size |= (byte & 0x7F) << 7 * shift
            if byte & 0x80:
                break
        record = record[: len(record) - size]
    if flags & 1 and record:
        record = record[: len(record) - (record[-1] & 3) - 1]
    return record


def _unpacked(packed: bytes) -> bytes:
    """PalmDOC: literals, runs of literals, a space and a letter in one byte, and what came up to 2,047 bytes before."""
    out = bytearray()
    at = 0
    while at < len(packed) and len(out) < LONGEST_RECORD:
        byte = packed[at]
        at += 1
        if 1 <= byte <= 8:
            out += packed[at : at + byte]
            at += byte
        elif byte < 0x80:
            out.append(byte)
        elif byte >= 0xC0:
            out += bytes((0x20, byte ^ 0x80))
        elif at < len(packed):
            pair = byte << 8 | packed[at]
            at += 1
            distance, length = pair >> 3 & 0x7FF, (pair & 7) + 3
            for _ in range(length if 0 < distance <= len(out) else 0):
                out.append(out[-distance])
    return bytes(out)


def _stated(head: bytes) -> Iterator[tuple[int, bytes]]:
    if not _is_mobi(head) or not struct.unpack_from(">I", head, EXTH_FLAGS)[0] & 0x40:
        return
    at = 16 + struct.unpack_from(">I", head, 20)[0]
    if head[at : at + 4] != b"EXTH":
        return
    (count,) = struct.unpack_from(">I", head, at + 8)
    at += 12
    for _ in range(count):
        kind, size = struct.unpack_from(">II", head, at)
        if size < 8:
            return
        yield kind, head[at + 8 : at + size]
        at += size
