"""Read Word documents (.docx, .doc) and RTF."""

import io
import re
import struct
from collections.abc import Iterator

import docx
import olefile
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from striprtf.striprtf import rtf_to_text

from crawler.extraction.documents.document import Document, split_paragraphs, undivided_parts
from crawler.extraction.documents.zip_archive import open_zip
from wenhen.kit.errors import Unreadable

# Word's documents: .docx (ECMA-376), and .doc of Word 97 to 2003 by its piece table ([MS-DOC] 2.4.1).


FALLBACK_ELEMENT = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box once more
FIB_ENCRYPTED, FIB_TABLE_1 = 0x0100, 0x0200  # bits of the FIB's flags
FIB_FLAGS_OFFSET, FIB_CLX_OFFSET, FIB_TEXT_OFFSET = (
    0x0A,
    0x01A2,
    0x004C,
)  # of the FIB: flags; place and size of the Clx; ccpText
CLX_PIECES, CLX_PROPERTIES = 0x02, 0x01  # what a Clx consists of
COMPRESSED_PIECE = 0x40000000  # a piece of one byte a character
FIELD_CODE = re.compile(r"\x13[^\x13-\x15]*\x14|\x13[^\x13-\x15]*\x15|\x15")  # of a field only its result is read
BREAK_CHARACTERS = str.maketrans({"\r": "\n", "\x07": "\n", "\x0b": "\n", "\x0c": "\n", "\x1e": "-", "\x1f": None})
CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_docx(content: bytes) -> Document:
    """The paragraphs in order, those of tables and text boxes too. Raises `Unreadable`, `BadInput`."""
    with open_zip(content) as archive:
        archive.weigh()
    try:
        document = docx.Document(io.BytesIO(content))
    except (KeyError, ValueError, PackageNotFoundError) as error:
        raise Unreadable("documents.broken", kind="DOCX", error=str(error)) from None
    shown = (
        Paragraph(node, document).text
        for node in document.element.body.iter(qn("w:p"))
        if next(node.iterancestors(FALLBACK_ELEMENT), None) is None
    )
    stated = document.core_properties
    return Document(undivided_parts("\n".join(shown)), title=stated.title or None, author=stated.author or None)


def read_doc(content: bytes) -> Document:
    """The main text of a document. Raises `Unreadable` for one that is locked, broken, or of an earlier Word."""
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as storage:
            if storage.exists("EncryptedPackage"):
                raise Unreadable("documents.locked")
            word = storage.openstream("WordDocument").read()
            flags = _unpack_number("<H", word, FIB_FLAGS_OFFSET)
            if flags & FIB_ENCRYPTED:
                raise Unreadable("documents.locked")
            table = storage.openstream("1Table" if flags & FIB_TABLE_1 else "0Table").read()
            stated = storage.get_metadata()
            title, author = (
                _decode_property(stated.title, stated.codepage),
                _decode_property(stated.author, stated.codepage),
            )
    except OSError as error:
        raise Unreadable("documents.broken", kind="DOC", error=str(error)) from None
    place, size = _unpack_number("<I", word, FIB_CLX_OFFSET), _unpack_number("<I", word, FIB_CLX_OFFSET + 4)
    text = "".join(_read_pieces(word, _find_piece_table(table[place : place + size])))
    return Document(
        undivided_parts(_clean_text(text[: _unpack_number("<I", word, FIB_TEXT_OFFSET)])), title=title, author=author
    )


def _find_piece_table(clx: bytes) -> bytes:
    at = 0
    while at < len(clx) and clx[at] == CLX_PROPERTIES:
        at += 3 + _unpack_number("<H", clx, at + 1)
    if at >= len(clx) or clx[at] != CLX_PIECES:
        raise Unreadable("documents.broken", kind="DOC", error="no piece table")
    return clx[at + 5 : at + 5 + _unpack_number("<I", clx, at + 1)]


def _read_pieces(word: bytes, table: bytes) -> Iterator[str]:
    """The table holds n + 1 places of characters, then n descriptors of 8 bytes each."""
    count = (len(table) - 4) // 12
    for piece in range(count):
        length = _unpack_number("<I", table, 4 * piece + 4) - _unpack_number("<I", table, 4 * piece)
        place = _unpack_number("<I", table, 4 * (count + 1) + 8 * piece + 2)
        if place & COMPRESSED_PIECE:
            start = (place & ~COMPRESSED_PIECE) // 2
            yield word[start : start + max(0, length)].decode("cp1252", "replace")
        else:
            yield word[place : place + 2 * max(0, length)].decode("utf-16-le", "replace")


def _clean_text(text: str) -> str:
    while (without := FIELD_CODE.sub("", text)) != text:
        text = without
    return CONTROL_CHARACTER.sub("", text.translate(BREAK_CHARACTERS))


def _unpack_number(form: str, content: bytes, at: int) -> int:
    try:
        found: int = struct.unpack_from(form, content, at)[0]
    except struct.error:
        raise Unreadable("documents.broken", kind="DOC", error="it ends too early") from None
    return found


def _decode_property(value: bytes | None, codepage: int | None) -> str | None:
    charset = "utf-8" if codepage in (None, 65001, -535) else f"cp{codepage & 0xFFFF}"
    try:
        lines = split_paragraphs((value or b"").decode(charset, "replace"))
    except LookupError:
        return None
    return lines[0] if lines else None


NON_ASCII_BYTE = re.compile(rb"[\x80-\xff]")


def read_rtf(content: bytes) -> Document:
    """Its text; bytes beyond ASCII are escaped first, so that they are read in their code page."""
    written = NON_ASCII_BYTE.sub(lambda sign: b"\\'%02x" % sign[0][0], content).decode("ascii")
    text = rtf_to_text(written, encoding="gb18030", errors="replace")  # type: ignore[no-untyped-call]  # striprtf's
    return Document(undivided_parts(text))
