"""What is written in a picture."""

from dataclasses import dataclass

from store.messages import Message


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture, in pixels from its upper left corner; right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLine:
    """A line of writing, or a column; begins: a paragraph, and is no continuation of the line before it."""

    text: str
    box: Box
    begins: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureText:
    """What is written in a picture, in the order in which it is read."""

    id: str  # the picture's SHA-256; of a page of a document, the document's with the page's number
    lines: tuple[PictureLine, ...] = ()
    problem: Message | None = None  # why it could not be read
