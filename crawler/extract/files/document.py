"""What a file says, and where in it each part of the text stands."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from store.messages import Message
from store.records import PictureText


class PartKind(StrEnum):
    """What a file is divided into; one that is not is a whole."""

    PAGE = "page"
    CHAPTER = "chapter"
    PICTURE = "picture"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A page, a chapter or all of a file, as paragraphs. number: from 1. file: its name, inside of an archive."""

    kind: PartKind
    number: int
    paragraphs: tuple[str, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says. lost: what of it cannot be read, and why. scans: its pages without text that show a picture, by
    their numbers; pictures: of those that were read, what is written there.
    """

    parts: tuple[DocumentPart, ...]
    title: str | None = None
    author: str | None = None
    charset: str = "utf-8"
    lost: tuple[Message, ...] = ()
    scans: tuple[int, ...] = ()
    pictures: tuple[PictureText, ...] = ()


@dataclass(frozen=True, slots=True)
class PartStart:
    """The code point of a text at which a part of its file begins."""

    start: int
    kind: PartKind
    number: int
    file: str | None = None


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Where in a file something stands; paragraph: of the part, from 1."""

    kind: PartKind
    number: int
    paragraph: int
    file: str | None = None


def joined(parts: Sequence[DocumentPart]) -> tuple[str, tuple[PartStart, ...]]:
    """The text of all parts, a paragraph a line, and where each part begins in it; parts without text are left out."""
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


def place_at(text: str, starts: Sequence[PartStart], offset: int) -> TextPlace | None:
    """Where in its file a code point of the text stands; None where the text comes from no file."""
    at = bisect_right(starts, offset, key=lambda one: one.start) - 1
    if at < 0:
        return None
    part = starts[at]
    return TextPlace(part.kind, part.number, 1 + text.count("\n", part.start, offset), part.file)


def whole(text: str) -> tuple[DocumentPart, ...]:
    """A file that is not divided, a line a paragraph."""
    return (DocumentPart(PartKind.WHOLE, 1, paragraphs_of(text)),)


def paragraphs_of(text: str) -> tuple[str, ...]:
    """The lines of a text that hold something, without the space around them and what no text holds."""
    lines = (" ".join(line.replace("\0", "").split()) for line in text.splitlines())
    return tuple(line.encode("utf-8", "replace").decode() for line in lines if line)
