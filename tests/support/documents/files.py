"""Books and documents, made as their programs make them, for what reads them."""

import io
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence

import docx
import openpyxl
from reportlab.lib.pagesizes import A5
from reportlab.lib.units import mm
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

FONT = "STSong-Light"  # of every reader of PDF, so that none is embedded
WIDE = 26  # characters of a line
SECTOR = 512


def pdf(pages: Sequence[Sequence[str]], *, password: str | None = None) -> bytes:
    """Pages of paragraphs, set in lines, the first of each two characters in; a number stands below."""
    registerFont(UnicodeCIDFont(FONT))
    canvas = Canvas(file := io.BytesIO(), pagesize=A5, encrypt=password)
    canvas.setTitle("旧书")
    for number, paragraphs in enumerate(pages, 1):
        canvas.setFont(FONT, 12)
        height = A5[1] - 20 * mm
        for paragraph in paragraphs:
            text = f"\0\0{paragraph}"
            for at in range(0, len(text), WIDE):
                line = text[at : at + WIDE]
                canvas.drawString(15 * mm + 12 * line.count("\0"), height, line.replace("\0", ""))
                height -= 18
        canvas.drawString(A5[0] / 2, 10 * mm, str(number))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def word(paragraphs: Iterable[str]) -> bytes:
    """A .docx."""
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.core_properties.author = "阿岸"
    document.save(file := io.BytesIO())
    return file.getvalue()


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """An .xlsx of sheets of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file := io.BytesIO())
    return file.getvalue()


def old_word(paragraphs: Sequence[str], *, locked: bool = False) -> bytes:
    """A .doc of two pieces, the second of one byte a character."""
    text, end = "".join(f"{one}\r" for one in paragraphs), "the end\r"
    at = 0x400
    fib = bytearray(at)
    struct.pack_into("<HH", fib, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", fib, 0x0A, 0x0200 | 0x0100 * locked)
    struct.pack_into("<I", fib, 0x4C, len(text) + len(end))
    body = text.encode("utf-16-le")
    pieces = struct.pack("<III", 0, len(text), len(text) + len(end))
    pieces += struct.pack("<HIH", 0, at, 0) + struct.pack("<HIH", 0, (at + len(body)) * 2 | 0x40000000, 0)
    clx = b"\x01\x02\x00ab" + b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", fib, 0x01A2, 64, len(clx))
    return _compound({"WordDocument": bytes(fib) + body + end.encode(), "1Table": bytes(64) + clx})


def early_word(
    paragraphs: Sequence[str],
    *,
    language: int,
    charset: str,
    pieces: bool = False,
    macintosh: bool = False,
    edition: int | None = None,
) -> bytes:
    """A .doc of Word 95. pieces: its text stands in two, the second one first. macintosh: of Word 6 for that.

    edition: the magic number of an East Asian edition of Word 6, which writes two bytes a character.
    """
    at = 0x400
    fib = bytearray(at)
    text = "".join(f"{one}\r" for one in paragraphs)
    body = text.encode(charset) if edition is None else b"".join(_wide(sign, charset) for sign in text)
    width = 1 if edition is None else 2
    flags = 0x0004 * pieces | 0x1000 * (width - 1)
    struct.pack_into("<HHHHHH", fib, 0, edition or 0xA5DC, 104, 0, language, 0, flags)
    fib[0x12] = macintosh
    struct.pack_into("<II", fib, 0x18, at, at + len(body))
    count = len(body) // width
    struct.pack_into("<I", fib, 0x34, count)
    half = count // 2 * width
    table = struct.pack("<III", 0, half // width, count)
    table += struct.pack("<HIH", 0, at + len(body) - half, 0) + struct.pack("<HIH", 0, at, 0)
    clx = b"\x02" + struct.pack("<I", len(table)) + table
    struct.pack_into("<II", fib, 0x0160, at + len(body), len(clx))
    shown = body[half:] + body[:half] if pieces else body
    return _compound({"WordDocument": bytes(fib) + shown + clx})


def _wide(sign: str, charset: str) -> bytes:
    """A character of two bytes, the second one first. Curved quotes are those of cp1252, as Word writes them."""
    return sign.encode("cp1252") + b"\x10" if sign in "“”" else sign.encode(charset)[::-1].ljust(2, b"\0")


def _compound(streams: Mapping[str, bytes]) -> bytes:
    """An OLE compound file ([MS-CFB]) of streams that are long enough to stand in sectors of their own."""
    chains, bodies, entries, first = [0xFFFFFFFD, 0xFFFFFFFE], b"", [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)], 2
    for number, (name, body) in enumerate(streams.items(), 1):
        padded = body.ljust(4096, b"\0")
        padded += bytes(-len(padded) % SECTOR)
        count = len(padded) // SECTOR
        chains += [*range(first + 1, first + count), 0xFFFFFFFE]
        entries.append(_entry(name, 2, first, len(padded), right=number + 1 if number < len(streams) else None))
        bodies += padded
        first += count
    fat = b"".join(struct.pack("<I", one) for one in chains).ljust(SECTOR, b"\xff")
    assert len(fat) == SECTOR
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0")
    head += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    head += struct.pack("<I", 0)
    return head.ljust(SECTOR, b"\xff") + fat + b"".join(entries).ljust(SECTOR, b"\0") + bodies


def _entry(name: str, kind: int, start: int, size: int, *, child: int | None = None, right: int | None = None) -> bytes:
    none = 0xFFFFFFFF
    called = name.encode("utf-16-le").ljust(64, b"\0")
    links = struct.pack("<III", none, none if right is None else right, none if child is None else child)
    return (
        called + struct.pack("<HBB", 2 * len(name) + 2, kind, 1) + links + bytes(36) + struct.pack("<IQ", start, size)
    )


def rich_text(paragraphs: Iterable[str]) -> bytes:
    """An .rtf whose characters are escaped by turns as the bytes of GBK and as code points."""
    said = (
        "".join(
            f"\\u{ord(sign)}?" if at % 2 else "".join(f"\\'{byte:02x}" for byte in sign.encode("gbk"))
            for at, sign in enumerate(paragraph)
        )
        for paragraph in paragraphs
    )
    return ("{\\rtf1\\ansi\\ansicpg936{\\fonttbl{\\f0\\fcharset134 SimSun;}}\\f0 " + "\\par ".join(said) + "}").encode()


def epub(chapters: Sequence[Sequence[str]], *, missing: str = "") -> bytes:
    """A book of chapters of paragraphs. missing: the file of one that is not there."""
    names = [f"{number}.xhtml" for number in range(len(chapters))]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{spine}</spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="p.opf"/>'
        "</rootfiles></container>"
    )
    pages = {
        name: f"<html><body>{_markup(chapter)}</body></html>" for name, chapter in zip(names, chapters, strict=True)
    }
    pages.pop(missing, None)
    return packed({"META-INF/container.xml": container.encode(), "p.opf": package.encode()} | _encoded(pages))


def mobi(chapters: Sequence[Sequence[str]], *, compression: int = 2, encryption: int = 0) -> bytes:
    """A book of records of 4,096 bytes, packed as PalmDOC may be, with one byte behind the text of each."""
    body = "<mbp:pagebreak/>".join(map(_markup, chapters)).encode()
    texts = [body[at : at + 4096] for at in range(0, len(body), 4096)]
    records = [(_palmdoc(text) if compression == 2 else text) + b"\x00" for text in texts]
    head = bytearray(0x100)
    struct.pack_into(">HHIHHH", head, 0, compression, 0, len(body), len(texts), 4096, encryption)
    struct.pack_into(">4sIII", head, 16, b"MOBI", 0xE8, 2, 65001)
    struct.pack_into(">H", head, 0xF2, 1)
    records.insert(0, bytes(head))
    start = 78 + 8 * len(records)
    places = b"".join(struct.pack(">II", start + sum(map(len, records[:at])), at) for at in range(len(records)))
    return bytes(60) + b"BOOKMOBI" + bytes(8) + struct.pack(">H", len(records)) + places + b"".join(records)


def _palmdoc(text: bytes) -> bytes:
    """What stood there before is pointed to, a space and a letter are one byte, the rest stands in runs."""
    out, at = bytearray(), 0
    while at < len(text):
        before = text.rfind(text[at : at + 6], max(0, at - 2047), at + 5) if at + 6 <= len(text) else -1
        if 0 <= before < at:
            out += struct.pack(">H", 0x8000 | at - before << 3 | 3)
            at += 6
        elif text[at] == 32 and 0x40 <= text[at + 1 : at + 2][0:1].ljust(1, b"\0")[0] < 0x80:
            out.append(text[at + 1] ^ 0x80)
            at += 2
        else:
            out += bytes((1, text[at]))
            at += 1
    return bytes(out)


def packed(members: Mapping[str, bytes]) -> bytes:
    """An archive."""
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _markup(paragraphs: Iterable[str]) -> str:
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in texts.items()}
