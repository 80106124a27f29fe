"""Represent a document as parts with paragraphs. Read plain text."""

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.extraction.charset import decode_bytes
from crawler.extraction.model import PartKind, PartStart, PictureText
from wenhen.kit.errors import Message, Unreadable


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Represent a page, a chapter or a whole file as paragraphs.

    number: from 1. file: its name inside an archive.
    """

    kind: PartKind
    number: int
    paragraphs: tuple[str, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Represent the content of a file.

    lost: what cannot be read, and why. scans: numbers of the pages that show a picture and no text. pictures: the text
    of the pictures that were read. garbled: why the stated text is unreadable, so that its pages must be read as
    pictures.
    """

    parts: tuple[DocumentPart, ...]
    title: str | None = None
    author: str | None = None
    charset: str = "utf-8"
    lost: tuple[Message, ...] = ()
    scans: tuple[int, ...] = ()
    pictures: tuple[PictureText, ...] = ()
    garbled: Message | None = None


def join_parts(parts: Sequence[DocumentPart]) -> tuple[str, tuple[PartStart, ...]]:
    """Return the text of all parts, one paragraph a line, and the start of each part. Empty parts are left out."""
    lines: list[str] = []
    starts: list[PartStart] = []
    length = 0
    for part in parts:
        if not part.paragraphs:
            continue
        starts.append(PartStart(length, part.kind, part.number, part.file))
        lines += part.paragraphs
        length += sum(map(len, part.paragraphs)) + len(part.paragraphs)
    return "\n".join(lines), tuple(starts)


def undivided_parts(text: str) -> tuple[DocumentPart, ...]:
    """Return a file without divisions as one part, one paragraph a line."""
    return (DocumentPart(PartKind.WHOLE, 1, split_paragraphs(text)),)


def split_paragraphs(text: str) -> tuple[str, ...]:
    """Return the non-empty lines of a text, without surrounding space and characters that no text holds."""
    lines = (" ".join(line.replace("\0", "").split()) for line in text.splitlines())
    return tuple(line.encode("utf-8", "replace").decode() for line in lines if line)


MAX_REPLACED_SHARE = 0.02  # of the characters; beyond it a file is not text in any charset that we know


def read_text_file(content: bytes, charset: str | None = None) -> Document:
    """Read plain text. Raises `Unreadable` for bytes that are no text.

    charset: as stated by the server.
    """
    decoded = decode_bytes(content, charset)
    bad = decoded.text.count("\N{REPLACEMENT CHARACTER}") + decoded.text.count("\0")
    if bad > MAX_REPLACED_SHARE * len(decoded.text):
        raise Unreadable("importing.not_text")
    return Document(undivided_parts(decoded.text), charset=decoded.charset)
