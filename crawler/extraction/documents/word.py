"""Read Word documents, .docx and .doc."""

import io
import re
import struct
from collections.abc import Iterator

import olefile

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.document import (
    Document,
    heading_title,
    is_saved_page,
    read_saved_page,
    read_text_file,
    split_paragraphs,
    stated_title,
    undivided_parts,
)
from crawler.extraction.documents.file_kinds import TEXT_MARGIN, ZIP_SIGNATURE, is_word_2003_xml
from crawler.extraction.documents.rtf import read_rtf
from crawler.extraction.documents.word_xml import WordStory, WordStyles, iter_notes, read_story, read_styles
from crawler.extraction.documents.xml_parts import OfficePackage, XmlElement, local_name, open_package, parse_xml
from wenhen.kit.errors import BadInput, Message, Unreadable, message

# Word documents: .docx (ECMA-376), and .doc of Word 97 to 2003 by its piece table ([MS-DOC] 2.4.1).


FIB_ENCRYPTED, FIB_TABLE_1, FIB_COMPLEX = 0x0100, 0x0200, 0x0004  # bits of the FIB's flags
FIB_EXTENDED = 0x1000  # one of Word 6: its East Asian editions write two bytes for each character
# Offsets in the FIB: version, language, flags, then offset and size of the Clx.
FIB_VERSION_OFFSET, FIB_LANGUAGE_OFFSET, FIB_FLAGS_OFFSET, FIB_CLX_OFFSET = 0x02, 0x06, 0x0A, 0x01A2
FIB_LENGTHS = (  # consecutive texts, by the FIB: whether each is shown, and the offset of its length
    *((True, 0x4C), (True, 0x50), (False, 0x54), (False, 0x58), (False, 0x5C), (True, 0x60), (True, 0x64)),
)
FIRST_UNICODE_VERSION = 106  # the first one after Word 95
# Offsets in the FIB of Word 6 and 95: fcMin and fcMac, ccpText, fcClx and lcbClx.
EARLY_TEXT_OFFSET, EARLY_LENGTH_OFFSET, EARLY_CLX_OFFSET = 0x18, 0x34, 0x0160
PRIMARY_LANGUAGE = 0x3FF  # bits of a language number without its country
EARLY_CHARSETS = {
    0x0404: "big5hkscs",
    0x0C04: "big5hkscs",
    0x04: "gb18030",
    0x11: "cp932",
    0x12: "cp949",
    0x19: "cp1251",
    0x05: "cp1250",
    0x15: "cp1250",
    0x0E: "cp1250",
    0x08: "cp1253",
    0x1F: "cp1254",
    0x0D: "cp1255",
    0x01: "cp1256",
}
EDITION_CHARSETS = {0xA697: "cp932", 0xA698: "cp949"}  # of the East Asian editions of Word 6, by the FIB's magic number
EAST_ASIAN_CHARSETS = frozenset(("big5hkscs", "gb18030", "cp932", "cp949"))
FIB_PLATFORM_OFFSET, MACINTOSH = 0x12, 1  # the byte envr
# By the code page of Windows: what Word for the Macintosh wrote instead.
MACINTOSH_CHARSETS = {
    "cp1250": "mac_latin2",
    "cp1251": "mac_cyrillic",
    "cp1252": "mac_roman",
    "cp1253": "mac_greek",
    "cp1254": "mac_turkish",
}
CLX_PIECES, CLX_PROPERTIES = 0x02, 0x01  # the elements of a Clx
COMPRESSED_PIECE = 0x40000000  # a piece of one byte a character
FIELD_CODE = re.compile(r"\x13[^\x13-\x15]*\x14|\x13[^\x13-\x15]*\x15|\x15")  # only the result of a field is read
BREAK_CHARACTERS = str.maketrans({"\r": "\n", "\x07": "\n", "\x0b": "\n", "\x0c": "\n", "\x1e": "-", "\x1f": None})
CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_docx(content: bytes) -> Document:
    """Read the visible text of a document, with its notes at the end. Raises `Unreadable`, `BadInput`."""
    with open_package(content, "DOCX") as package:
        return _DocxReader(package).read()


class _DocxReader:
    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._main = package.main_part()
        self._relationships = package.relationships(self._main)
        self._styles = read_styles(self._parse_related("styles"))
        self._lost: list[Message] = []

    def read(self) -> Document:
        root = self._package.parse(self._main)
        if root is None or local_name(root) != "document":
            raise Unreadable("documents.broken", kind="DOCX", error=f"no document in {self._main}")
        story = read_story(root, self._styles, self._read_related_text)
        stated = self._package.core_properties()
        return Document(
            undivided_parts("\n".join((*story.paragraphs, *self._read_notes(story)))),
            title=stated_title(stated.get("title")) or heading_title(story.titles, story.headings),
            author=stated.get("creator"),
            lost=tuple(self._lost),
        )

    def _parse_related(self, kind: str) -> XmlElement | None:
        target = next((target for relation, target in self._relationships.values() if relation == kind), None)
        return None if target is None else self._package.parse(target)

    def _read_notes(self, story: WordStory) -> Iterator[str]:
        """Yield the referenced notes: footnotes, then endnotes."""
        for kind in ("footnotes", "endnotes"):
            wanted = [id for note_kind, id in story.notes if note_kind == kind]
            notes = dict(iter_notes(self._parse_related(kind))) if wanted else {}
            for id in dict.fromkeys(wanted):
                if id in notes:
                    yield from read_story(notes[id], self._styles).paragraphs

    def _read_related_text(self, id: str) -> list[str]:
        """Return the text of a diagram, or of an embedded document of any kind."""
        kind, target = self._relationships.get(id, ("", ""))
        content = self._package.read(target) if target else None
        if content is None:
            return []
        if kind == "diagramData":
            root = parse_xml(content)
            return [] if root is None else read_story(root, self._styles).paragraphs
        if kind != "aFChunk":
            return []
        try:
            return read_chunk(content)
        except BadInput as error:
            self._lost.append(message("documents.in_archive", name=target, reason=error))
            return []


def read_chunk(content: bytes) -> list[str]:
    """Return the paragraphs of an embedded document (w:altChunk), by its kind."""
    if content.startswith(ZIP_SIGNATURE):
        with open_package(content, "DOCX") as package:
            root = package.parse(package.main_part())
            return [] if root is None else read_story(root, WordStyles()).paragraphs
    read: Document
    if content.lstrip(TEXT_MARGIN).startswith(b"{\\rtf"):
        read = read_rtf(content)
    elif is_saved_page(content):
        read = read_saved_page(content)
    else:
        read = read_text_file(content)
    return [paragraph for part in read.parts for paragraph in part.paragraphs]


def read_doc(content: bytes) -> Document:
    """Read the main text of a document. Raises `Unreadable` for one that is locked, broken, or of an earlier Word."""
    if is_word_2003_xml(content):
        return _read_word_2003_xml(content)
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as storage:
            if storage.exists("EncryptedPackage"):
                raise Unreadable("documents.locked")
            word = storage.openstream("WordDocument").read()
            flags = _unpack_number("<H", word, FIB_FLAGS_OFFSET)
            if flags & FIB_ENCRYPTED:
                raise Unreadable("documents.locked")
            version = _unpack_number("<H", word, FIB_VERSION_OFFSET)
            early = version < FIRST_UNICODE_VERSION
            table = b"" if early else storage.openstream("1Table" if flags & FIB_TABLE_1 else "0Table").read()
            stated = storage.get_metadata()
            title, author = (
                decode_property(stated.title, stated.codepage),
                decode_property(stated.author, stated.codepage),
            )
    except OSError as error:
        raise Unreadable("documents.broken", kind="DOC", error=str(error)) from None
    if early:
        return Document(undivided_parts(_clean_text(_read_early_text(word, flags))), title=title, author=author)
    place, size = _unpack_number("<I", word, FIB_CLX_OFFSET), _unpack_number("<I", word, FIB_CLX_OFFSET + 4)
    text = "".join(_read_pieces(word, _find_piece_table(table[place : place + size])))
    return Document(undivided_parts(_clean_text(_shown_text(word, text))), title=title, author=author)


def _read_word_2003_xml(content: bytes) -> Document:
    """Read a document that Word 2003 saved as XML. Its elements have the names of later versions."""
    root = parse_xml(content)
    parts = {} if root is None else {local_name(part): part for part in root}
    if root is None or local_name(root) != "wordDocument" or "body" not in parts:
        raise Unreadable("documents.broken", kind="DOC", error="no document in the XML")
    story = read_story(parts["body"], read_styles(parts.get("styles")))
    stated = {local_name(name): name.text for name in parts.get("DocumentProperties", ())}
    return Document(
        undivided_parts("\n".join(story.paragraphs)),
        title=stated_title(stated.get("Title")) or heading_title(story.titles, story.headings),
        author=stated.get("Author"),
    )


def _shown_text(word: bytes, text: str) -> str:
    """Return the main text, then footnotes, endnotes and text boxes. Headers, comments and macros are skipped."""
    start = 0
    shown = []
    for kind, offset in FIB_LENGTHS:
        length = _unpack_number("<I", word, offset)
        if kind:
            shown.append(text[start : start + length])
        start += length
    return "\r".join(shown)


def _read_early_text(word: bytes, flags: int) -> str:
    """Read the text of Word 6 and 95 in the code page of its language, in one piece or in several."""
    width = 2 if flags & FIB_EXTENDED else 1
    if flags & FIB_COMPLEX:
        place, size = (_unpack_number("<I", word, EARLY_CLX_OFFSET + offset) for offset in (0, 4))
        content = b"".join(
            word[start : start + width * length]
            for start, length in _iter_pieces(_find_piece_table(word[place : place + size]))
        )
    else:
        start, end = (_unpack_number("<I", word, EARLY_TEXT_OFFSET + offset) for offset in (0, 4))
        content = word[start:end]
    language = _unpack_number("<H", word, FIB_LANGUAGE_OFFSET)
    charset = EARLY_CHARSETS.get(language) or EARLY_CHARSETS.get(language & PRIMARY_LANGUAGE, "cp1252")
    if _unpack_number("<B", word, FIB_PLATFORM_OFFSET) == MACINTOSH:
        charset = MACINTOSH_CHARSETS.get(charset, charset)
    content = content[: width * _unpack_number("<I", word, EARLY_LENGTH_OFFSET)]
    if width == 1:
        return content.decode(charset, "replace")
    # The East Asian editions state English as their language, whichever it is.
    edition = EDITION_CHARSETS.get(_unpack_number("<H", word, 0))
    return _decode_extended(content, charset if charset in EAST_ASIAN_CHARSETS else edition)


def _decode_extended(content: bytes, charset: str | None) -> str:
    """Decode characters of two bytes each, the second one first. Those below a lead byte, such as quotes, are Western.

    charset: None for Chinese of either kind.
    """
    units = struct.unpack(f"<{len(content) // 2}H", content[: len(content) // 2 * 2])
    pairs = {unit: unit.to_bytes(2, "big") for unit in units if unit >= 0x8000}
    if charset is None:
        found = decode_bytes(b"".join(pairs[unit] for unit in units if unit in pairs)).charset
        charset = found if found in EAST_ASIAN_CHARSETS else "gb18030"
    signs = {unit: pair.decode(charset, "replace") for unit, pair in pairs.items()}
    return "".join(signs.get(unit) or bytes((unit & 0xFF,)).decode("cp1252", "replace") for unit in units)


def _find_piece_table(clx: bytes) -> bytes:
    offset = 0
    while offset < len(clx) and clx[offset] == CLX_PROPERTIES:
        offset += 3 + _unpack_number("<H", clx, offset + 1)
    if offset >= len(clx) or clx[offset] != CLX_PIECES:
        raise Unreadable("documents.broken", kind="DOC", error="no piece table")
    return clx[offset + 5 : offset + 5 + _unpack_number("<I", clx, offset + 1)]


def _iter_pieces(table: bytes) -> Iterator[tuple[int, int]]:
    """Yield the position of each piece and its number of characters.

    The table holds n + 1 character positions, then n descriptors of 8 bytes each.
    """
    count = (len(table) - 4) // 12
    for piece in range(count):
        length = _unpack_number("<I", table, 4 * piece + 4) - _unpack_number("<I", table, 4 * piece)
        yield _unpack_number("<I", table, 4 * (count + 1) + 8 * piece + 2), max(0, length)


def _read_pieces(word: bytes, table: bytes) -> Iterator[str]:
    for place, length in _iter_pieces(table):
        if place & COMPRESSED_PIECE:
            start = (place & ~COMPRESSED_PIECE) // 2
            yield word[start : start + length].decode("cp1252", "replace")
        else:
            yield word[place : place + 2 * length].decode("utf-16-le", "replace")


def _clean_text(text: str) -> str:
    while (without := FIELD_CODE.sub("", text)) != text:
        text = without
    return CONTROL_CHARACTER.sub("", text.translate(BREAK_CHARACTERS))


def _unpack_number(form: str, content: bytes, offset: int) -> int:
    try:
        number: int = struct.unpack_from(form, content, offset)[0]
    except struct.error:
        raise Unreadable("documents.broken", kind="DOC", error="it ends too early") from None
    return number


def decode_property(value: bytes | str | None, codepage: int | None) -> str | None:
    r"""Return the first line of a property.

    Most are bytes in the file's code page. Some programs write Unicode, and state its length in bytes, so that the next
    property follows within it.

    >>> decode_property("渡口的灯".encode("gbk"), 936), decode_property("渡口的灯\x01\x1f何远", None)
    ('渡口的灯', '渡口的灯')
    """
    charset = "utf-8" if codepage in (None, 65001, -535) else f"cp{codepage & 0xFFFF}"
    try:
        lines = split_paragraphs(
            CONTROL_CHARACTER.split(value)[0] if isinstance(value, str) else (value or b"").decode(charset, "replace")
        )
    except LookupError:
        return None
    return lines[0] if lines else None
