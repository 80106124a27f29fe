"""Read e-books: EPUB by its spine (EPUB 3.3), Mobipocket and Kindle by their records.

Malformed books are handled as reading programs do.
"""

import posixpath
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.document import Document, DocumentPart, split_paragraphs, stated_title
from crawler.extraction.documents.xml_parts import XmlElement, local_name, parse_xml
from crawler.extraction.documents.zip_archive import ZipArchive, decode_member_name, open_zip
from crawler.extraction.model import PartKind
from crawler.extraction.parsing import bound_markup
from wenhen.kit.errors import BadInput, Message, TooLarge, Unreadable, message

CHAPTER_BLOCKS = (
    "p,div,h1,h2,h3,h4,h5,h6,li,blockquote,br,hr,tr,td,th,caption,dt,dd,pre,section,article,aside,header,footer,nav,"
    "figure,figcaption,text"
)
UNSEEN_ELEMENTS = "script,style,title,template,rt,rp,rtc,metadata"  # readings above characters are not part of the text
VOID_ELEMENTS = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
))  # fmt: skip
SELF_CLOSED_TAG = re.compile(r"<[a-zA-Z][^<>]*/>")


def parse_chapter(html: str, *, xhtml: bool = False) -> tuple[str | None, tuple[str, ...]]:
    """Return the text of the first heading, and all paragraphs."""
    markup = SELF_CLOSED_TAG.sub(_close_tag, html) if xhtml else html
    tree = LexborHTMLParser(bound_markup(markup).replace("\0", ""))
    for node in tree.css(UNSEEN_ELEMENTS):
        node.decompose()
    heading = tree.css_first("h1,h2,h3")
    for node in tree.css(CHAPTER_BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    title = " ".join(heading.text().split()) if heading else None
    return title, split_paragraphs(tree.body.text()) if tree.body else ()


def _close_tag(match: re.Match[str]) -> str:
    """Close an element explicitly. In XHTML any element may close itself, but an HTML parser never ends `<title/>`."""
    inside = match[0][1:-2]
    name = inside.split(None, 1)[0]
    return match[0] if name.lower() in VOID_ELEMENTS else f"<{inside}></{name}>"


CONTAINER_PART, ENCRYPTION_PART = "META-INF/container.xml", "META-INF/encryption.xml"
_CHAPTER_TYPES: Final = frozenset(
    ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
)
_CHAPTER_ENDINGS: Final = (".xhtml", ".html", ".htm", ".xml")
# Algorithms that obfuscate only fonts, so that nobody extracts them from a book. The text is not encrypted.
_FONT_ALGORITHMS: Final = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))


@dataclass(frozen=True, slots=True)
class BookChapter:
    """Represent a spine document with text. path: its place in the archive. number: from 1."""

    number: int
    path: str
    heading: str | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EpubBook:
    """Represent an open book. Its chapters are read on demand, and `lost` collects the unreadable ones."""

    title: str | None
    author: str | None
    chapters: Iterator[BookChapter]
    lost: list[Message]


@contextmanager
def open_epub(content: bytes) -> Iterator[EpubBook]:
    """Open a book.

    Raises `BadInput` for a broken or protected book, also while its chapters are read. A single broken chapter is only
    lost.
    """
    with open_zip(content) as archive:
        path = _find_package_path(archive)
        package = parse_xml(archive.read_part(path))
        if package is None:
            raise BadInput("importing.bad_epub", path=path, error="no XML")
        lost: list[Message] = []
        yield EpubBook(
            stated_title(_metadata(package, "title")),
            _metadata(package, "creator"),
            _read_chapters(archive, list(dict.fromkeys(_spine_paths(archive, package, path))), lost),
            lost,
        )


def read_epub(content: bytes) -> Document:
    """Read all chapters."""
    with open_epub(content) as book:
        parts = tuple(DocumentPart(PartKind.CHAPTER, chapter.number, chapter.paragraphs) for chapter in book.chapters)
        return Document(parts, title=book.title, author=book.author, lost=tuple(book.lost))


def _read_chapters(archive: ZipArchive, paths: Iterable[str], lost: list[Message]) -> Iterator[BookChapter]:
    number = 0
    failure: BadInput | None = None
    encrypted = _encrypted_paths(archive)
    for path in paths:
        try:
            if path.casefold() in encrypted:
                raise Unreadable("documents.drm")
            content = archive.read_part(path)
        except TooLarge:  # a decompression bomb is not a book
            raise
        except BadInput as error:
            failure = failure or error
            lost.append(message("documents.in_archive", name=path, reason=error))
            continue
        blank = not content.strip()
        heading, paragraphs = (None, ()) if blank else parse_chapter(decode_bytes(content).text, xhtml=True)
        if paragraphs:  # a cover or a title page has none
            number += 1
            yield BookChapter(number, path, heading, paragraphs)
    if not number:
        raise failure or BadInput("importing.empty_book")


def _encrypted_paths(archive: ZipArchive) -> frozenset[str]:
    """Return the paths that digital rights management has encrypted, in lower case."""
    root = _parse_part(archive, ENCRYPTION_PART)
    encrypted = () if root is None else (element for element in root.iter() if local_name(element) == "EncryptedData")
    return frozenset(path.casefold() for data in encrypted for path in _encrypted_path(data))


def _encrypted_path(data: XmlElement) -> Iterator[str]:
    algorithm = next(
        (element.get("Algorithm") for element in data.iter() if local_name(element) == "EncryptionMethod"), ""
    )
    if algorithm not in _FONT_ALGORITHMS:
        for reference in data.iter():
            if local_name(reference) == "CipherReference" and reference.get("URI"):
                yield _resolve("", reference.get("URI"))


def _find_package_path(archive: ZipArchive) -> str:
    """Return the package path in the container, or else the first package in the archive."""
    root = _parse_part(archive, CONTAINER_PART)
    named = (
        ()
        if root is None
        else (element.get("full-path") for element in root.iter() if local_name(element) == "rootfile")
    )
    paths = [_resolve("", path) for path in named if path]
    names = [decode_member_name(info) for info in archive.files]
    paths += [name for name in names if name.lower().endswith(".opf")]
    path = next((path for path in paths if archive.has_part(path)), None)
    if path is None:
        raise BadInput("importing.no_package")
    return path


def _parse_part(archive: ZipArchive, path: str) -> XmlElement | None:
    try:
        return parse_xml(archive.read_part(path))
    except TooLarge:
        raise
    except BadInput:
        return None


def _metadata(package: XmlElement, name: str) -> str | None:
    for element in package.iter():
        if local_name(element).lower() == name and (words := " ".join(unescape("".join(element.itertext())).split())):
            return words
    return None


def _spine_paths(archive: ZipArchive, package: XmlElement, package_path: str) -> Iterator[str]:
    """Yield the paths in the order of the spine, or else of the manifest, or else of the archive."""
    folder = posixpath.dirname(package_path)
    items = {element.get("id"): element for element in package.iter() if local_name(element) == "item"}
    spine = [element.get("idref") for element in package.iter() if local_name(element) == "itemref"]
    chapters = [id for id, item in items.items() if item.get("media-type") in _CHAPTER_TYPES]
    paths = [
        _resolve(folder, items[id].get("href") or "") if id in items else id  # a missing one is reported as lost
        for id in (spine or chapters)
        if id and (id not in items or not _is_picture(items[id]))
    ]
    if paths:
        yield from paths
        return
    names = [decode_member_name(info) for info in archive.files]
    yield from (name for name in names if name.lower().endswith(_CHAPTER_ENDINGS) and not name.startswith("META-INF/"))


def _is_picture(item: XmlElement) -> bool:
    kind = item.get("media-type") or ""
    return kind.startswith("image/") and kind != "image/svg+xml"


def _resolve(folder: str, href: str) -> str:
    """Return the archive path of a reference."""
    path = unquote(href.partition("#")[0]).replace("\\", "/")
    return path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(folder, path))


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
