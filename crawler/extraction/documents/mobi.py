"""Read Mobipocket and Kindle books by their records."""

import re
import struct
from collections.abc import Iterator, Sequence

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.book_markup import parse_chapter
from crawler.extraction.documents.document import Document, DocumentPart
from crawler.extraction.model import PartKind
from wenhen.kit.errors import Unreadable

# Mobipocket and Kindle books (.mobi .prc .azw .azw3): their text is markup in the records of a Palm database.
#
# The fields follow https://wiki.mobileread.com/wiki/MOBI, the compression is PalmDOC.


NO_COMPRESSION, PALMDOC_COMPRESSION = 1, 2
ENCODING_OFFSET, EXTH_FLAGS_OFFSET, EXTRA_DATA_OFFSET = 0x1C, 0x80, 0xF2  # offsets in the first record
EXTH_AUTHOR, EXTH_TITLE = 100, 503  # records of the EXTH
MOBI_PAGE_BREAK = re.compile(rb"<mbp:pagebreak[^>]*>|</html>", re.IGNORECASE)
MOBI_CHARSETS = {1252: "windows-1252", 65001: "utf-8"}
MAX_RECORD_BYTES = 1 << 16  # bytes, unpacked; the format has 4,096


def read_mobi(content: bytes) -> Document:
    """Read the text of a book by its page breaks.

    Raises `Unreadable` for a locked or broken book, or HUFF/CDIC compression, which almost only locked books have.
    """
    try:
        records = list(_split_records(content))
        head = records[0]
        compression, _, _, count, _, encryption = struct.unpack_from(">HHIHHH", head)
        if encryption:
            raise Unreadable("documents.locked")
        if compression not in (NO_COMPRESSION, PALMDOC_COMPRESSION):
            raise Unreadable("documents.huffman")
        body = b"".join(_read_text_records(head, records[1 : count + 1], compression))
        charset = MOBI_CHARSETS.get(_charset_code(head))
        stated = dict(_read_exth(head))
    except (struct.error, IndexError) as error:
        raise Unreadable("documents.broken", kind="MOBI", error=str(error)) from None
    chapters = [parse_chapter(decode_bytes(part, charset).text)[1] for part in MOBI_PAGE_BREAK.split(body)]
    parts = tuple(
        DocumentPart(PartKind.CHAPTER, number, paragraphs)
        for number, paragraphs in enumerate(filter(None, chapters), 1)
    )
    title, author = (
        decode_bytes(stated[name], charset).text if name in stated else None for name in (EXTH_TITLE, EXTH_AUTHOR)
    )
    return Document(parts, title=title, author=author)


def _split_records(content: bytes) -> Iterator[bytes]:
    (count,) = struct.unpack_from(">H", content, 76)
    starts = [struct.unpack_from(">I", content, 78 + 8 * number)[0] for number in range(count)]
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        yield content[start:end]


def _read_text_records(head: bytes, records: Sequence[bytes], compression: int) -> Iterator[bytes]:
    extra = _extra_data_flags(head)
    for record in records:
        text = _strip_extra_data(record, extra)
        yield text if compression == NO_COMPRESSION else _decompress_palmdoc(text)


def _is_mobi(head: bytes) -> bool:
    return head[16:20] == b"MOBI"


def _charset_code(head: bytes) -> int:
    return int(struct.unpack_from(">I", head, ENCODING_OFFSET)[0]) if _is_mobi(head) else 0


def _extra_data_flags(head: bytes) -> int:
    """Return bit flags of the trailing data in each text record."""
    long = _is_mobi(head) and struct.unpack_from(">I", head, 20)[0] >= EXTRA_DATA_OFFSET - 16 + 2
    return int(struct.unpack_from(">H", head, EXTRA_DATA_OFFSET)[0]) if long else 0


def _strip_extra_data(record: bytes, flags: int) -> bytes:
    """Remove trailing data. Its last bytes give its size: seven bits each, last byte first (bit 0: two bits of one
    byte).
    """
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


def _decompress_palmdoc(packed: bytes) -> bytes:
    """Decompress PalmDOC.

    It has literals, runs of literals, a space and a letter in one byte, and back-references of up to 2,047 bytes.
    """
    out = bytearray()
    offset = 0
    while offset < len(packed) and len(out) < MAX_RECORD_BYTES:
        byte = packed[offset]
        offset += 1
        if 1 <= byte <= 8:
            out += packed[offset : offset + byte]
            offset += byte
        elif byte < 0x80:
            out.append(byte)
        elif byte >= 0xC0:
            out += bytes((0x20, byte ^ 0x80))
        elif offset < len(packed):
            pair = byte << 8 | packed[offset]
            offset += 1
            distance, length = pair >> 3 & 0x7FF, (pair & 7) + 3
            for _ in range(length if 0 < distance <= len(out) else 0):
                out.append(out[-distance])
    return bytes(out)


def _read_exth(head: bytes) -> Iterator[tuple[int, bytes]]:
    if not _is_mobi(head) or not struct.unpack_from(">I", head, EXTH_FLAGS_OFFSET)[0] & 0x40:
        return
    offset = 16 + struct.unpack_from(">I", head, 20)[0]
    if head[offset : offset + 4] != b"EXTH":
        return
    (count,) = struct.unpack_from(">I", head, offset + 8)
    offset += 12
    for _ in range(count):
        kind, size = struct.unpack_from(">II", head, offset)
        if size < 8:
            return
        yield kind, head[offset + 8 : offset + size]
        offset += size
