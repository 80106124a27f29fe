"""Define what extraction returns: pages, pictures, posts, chapters, contacts. Imports no parser."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from wenhen.kit.errors import Message


class PartKind(StrEnum):
    """What a file is divided into; one that is not is a whole."""

    PAGE = "page"
    CHAPTER = "chapter"
    PICTURE = "picture"
    WHOLE = "whole"


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


def find_text_place(text: str, starts: Sequence[PartStart], offset: int) -> TextPlace | None:
    """Where in its file a code point of the text stands; None where the text comes from no file."""
    at = bisect_right(starts, offset, key=lambda one: one.start) - 1
    if at < 0:
        return None
    part = starts[at]
    return TextPlace(part.kind, part.number, 1 + text.count("\n", part.start, offset), part.file)


@dataclass(frozen=True, slots=True)
class FontLinks:
    """Addresses of fonts; of style sheets that may name some, where the page itself names none."""

    fonts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture that may hold text of its page; content: its bytes, where it stands in the page itself."""

    address: str
    content: bytes | None = None


# A body, the headers that came with it, and when it was fetched, where that is known.
ThreadPage = tuple[bytes, tuple[tuple[str, str], ...], datetime | None]


class DropReason(StrEnum):
    """Why something that a page shows was not matched."""

    RECURRING = "recurring"  # other pages of the host show it, too
    ADVERT = "advert"
    NAVIGATION = "navigation"
    FURNITURE = "furniture"  # buttons, bylines, the words of the law
    BESIDE = "beside"  # comments, side bars and the like


@dataclass(frozen=True, slots=True)
class DroppedText:
    """A stretch of a page: whole lines, or a part of one.

    at: the code point of the matched text before which it stood.
    """

    at: int
    text: str
    reason: DropReason
    inside: bool = False  # a part of a line


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


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """Code points of a text that were read from a picture. number: of the picture on the page, from 1; line: from 1."""

    start: int
    end: int
    picture: str  # the id of its `PictureText`
    number: int
    line: int
    box: Box


class ContactKind(StrEnum):
    """What is said."""

    OPERATOR = "operator"
    ICP = "icp"  # ICP备案: the registration of a site with the ministry of industry
    POLICE = "police"  # 公网安备: its registration with the public security
    MAIL = "mail"
    TELEPHONE = "telephone"
    QQ = "qq"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class SiteContact:
    """One thing that a page says of its site; nobody has verified it."""

    kind: ContactKind
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPlace:
    """Where a page stands. Addresses are in full, as `crawler.addresses.canonical_url` writes them."""

    chapter: int | None = None
    volume: int | None = None
    previous_page: str | None = None  # of the same chapter, or article
    next_page: str | None = None
    previous_chapter: str | None = None
    next_chapter: str | None = None
    novel: bool = False  # a chapter of one, rather than a page of an article


class Precision(StrEnum):
    """How exactly it is known when a post was written."""

    MINUTE = "minute"
    HOUR = "hour"  # about so
    DAY = "day"  # the moment is the beginning of a day in China


@dataclass(frozen=True, slots=True)
class PostLine:
    """A line of a post. quotation: which of the post's quotations it stands in, from 0; None: in none."""

    text: str
    quotation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a page says of one post. floor: its number in the thread, as the page tells it."""

    lines: tuple[PostLine, ...]
    author: str | None = None
    written_at: datetime | None = None
    precision: Precision | None = None  # of that
    floor: int | None = None
    quoted: tuple[str | None, ...] = ()  # by quotation, who is named as having said it


@dataclass(frozen=True, slots=True)
class Quotation:
    """Code points of a text that a post quotes. author: who is named as having said it."""

    start: int
    end: int
    author: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPost:
    """A post by its place in a text, in code points."""

    start: int
    end: int
    author: str | None
    written_at: datetime | None
    precision: Precision | None
    floor: int | None
    quotations: tuple[Quotation, ...] = ()


# What a page says, for those too who read none themselves: the child does that (`crawler.extraction.sandbox_calls`).


NO_TEXT_PROBLEM = Message("page.no_text")
CUT_OFF_PROBLEM = Message("page.cut_off")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """What a page says.

    Later offsets count the code points of `text`, whose paragraphs are separated by one line feed.
    """

    text: str
    charset: str
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    site_name: str | None = None
    canonical: str | None = None
    language: str | None = None
    problems: tuple[Message, ...] = ()
    lost: tuple[Message, ...] = ()  # what of it cannot be read, which people are told of
    deciphered: bool = False  # the text is as the fonts of the page show it
    parts: "tuple[PartStart, ...]" = ()  # of a file: where in the text each of its pages or chapters begins
    pictures: "tuple[PicturePlace, ...]" = ()  # what of the text was read from pictures
    scans: tuple[int, ...] = ()  # of a file: the pages that show a picture alone, and are not read yet
    place: ChapterPlace = field(default_factory=ChapterPlace)


@dataclass(frozen=True, slots=True)
class DecipheredPage:
    """A page, and what was learned of its fonts: by the digest of each, characters as they are written and as shown."""

    page: ExtractedPage
    learned: Mapping[str, Mapping[str, str]]
