"""Word's documents: .docx (ECMA-376), and .doc of Word 97 to 2003 by its piece table ([MS-DOC] 2.4.1)."""

import io
import re
import struct
from collections.abc import Iterator

import docx
import olefile
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from crawler.extract.files.document import Document, paragraphs_of, whole
from crawler.extract.files.zip_archive import opened
from store.errors import Unreadable

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box once more
ENCRYPTED, TABLE_1 = 0x0100, 0x0200  # bits of the FIB's flags
FLAGS_AT, CLX_AT, TEXT_AT = 0x0A, 0x01A2, 0x004C  # of the FIB: flags; place and size of the Clx; ccpText
PIECES, PROPERTIES = 0x02, 0x01  # what a Clx consists of
COMPRESSED = 0x40000000  # a piece of one byte a character
FIELD = re.compile(r"\x13[^\x13-\x15]*\x14|\x13[^\x13-\x15]*\x15|\x15")  # of a field only its result is read
BREAKS = str.maketrans({"\r": "\n", "\x07": "\n", "\x0b": "\n", "\x0c": "\n", "\x1e": "-", "\x1f": None})
NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_docx(content: bytes) -> Document:
    """The paragraphs in order, those of tables and text boxes too. Raises `Unreadable`, `BadInput`."""
    with opened(content) as archive:
        archive.weigh()
    try:
        document = docx.Document(io.BytesIO(content))
    except (KeyError, ValueError, PackageNotFoundError) as error:
        raise Unreadable("documents.broken", kind="DOCX", error=str(error)) from None
    shown = (
        Paragraph(node, document).text
        for node in document.element.body.iter(qn("w:p"))
        if next(node.iterancestors(FALLBACK), None) is None
    )
    stated = document.core_properties
    return Document(whole("\n".join(shown)), title=stated.title or None, author=stated.author or None)


def read_doc(content: bytes) -> Document:
    """The main text of a document. Raises `Unreadable` for one that is locked, broken, or of an earlier Word."""
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as storage:
            if storage.exists("EncryptedPackage"):
                raise Unreadable("documents.locked")
            word = storage.openstream("WordDocument").read()
            flags = _number("<H", word, FLAGS_AT)
            if flags & ENCRYPTED:
                raise Unreadable("documents.locked")
            table = storage.openstream("1Table" if flags & TABLE_1 else "0Table").read()
            stated = storage.get_metadata()
            title, author = _stated(stated.title, stated.codepage), _stated(stated.author, stated.codepage)
    except OSError as error:
        raise Unreadable("documents.broken", kind="DOC", error=str(error)) from None
    place, size = _number("<I", word, CLX_AT), _number("<I", word, CLX_AT + 4)
    text = "".join(_pieces(word, _piece_table(table[place : place + size])))
    return Document(whole(_shown(text[: _number("<I", word, TEXT_AT)])), title=title, author=author)


def _piece_table(clx: bytes) -> bytes:
    at = 0
    while at < len(clx) and clx[at] == PROPERTIES:
        at += 3 + _number("<H", clx, at + 1)
    if at >= len(clx) or clx[at] != PIECES:
        raise Unreadable("documents.broken", kind="DOC", error="no piece table")
    return clx[at + 5 : at + 5 + _number("<I", clx, at + 1)]


def _pieces(word: bytes, table: bytes) -> Iterator[str]:
    """The table holds n + 1 places of characters, then n descriptors of 8 bytes each."""
    count = (len(table) - 4) // 12
    for piece in range(count):
        length = _number("<I", table, 4 * piece + 4) - _number("<I", table, 4 * piece)
        place = _number("<I", table, 4 * (count + 1) + 8 * piece + 2)
        if place & COMPRESSED:
            start = (place & ~COMPRESSED) // 2
            yield word[start : start + max(0, length)].decode("cp1252", "replace")
        else:
            yield word[place : place + 2 * max(0, length)].decode("utf-16-le", "replace")


def _shown(text: str) -> str:
    while (without := FIELD.sub("", text)) != text:
        text = without
    return NOT_TEXT.sub("", text.translate(BREAKS))


def _number(form: str, content: bytes, at: int) -> int:
    try:
        found: int = struct.unpack_from(form, content, at)[0]
    except struct.error:
        raise Unreadable("documents.broken", kind="DOC", error="it ends too early") from None
    return found


def _stated(value: bytes | None, codepage: int | None) -> str | None:
    charset = "utf-8" if codepage in (None, 65001, -535) else f"cp{codepage & 0xFFFF}"
    try:
        lines = paragraphs_of((value or b"").decode(charset, "replace"))
    except LookupError:
        return None
    return lines[0] if lines else None
