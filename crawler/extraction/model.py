"""Define what extraction returns: pages, pictures, posts, chapters, contacts. Imports no parser."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from wenhen.kit.errors import Message


class PartKind(StrEnum):
    """List the kinds of parts of a file. A file without divisions is a whole. The number of a time is its second."""

    PAGE = "page"
    CHAPTER = "chapter"
    PICTURE = "picture"
    WHOLE = "whole"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class PartStart:
    """Represent the code point of a text at which a part of its file begins."""

    start: int
    kind: PartKind
    number: int
    file: str | None = None


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Represent a place in a file. paragraph: of the part, from 1."""

    kind: PartKind
    number: int
    paragraph: int
    file: str | None = None

    @property
    def clock(self) -> str:
        """Return the number as a time of a recording.

        >>> TextPlace(PartKind.TIME, 3725, 1).clock
        '1:02:05'
        """
        return f"{self.number // 3600}:{self.number // 60 % 60:02}:{self.number % 60:02}"


def find_text_place(text: str, starts: Sequence[PartStart], offset: int) -> TextPlace | None:
    """Return the place in the file of a code point of the text, or None if the text comes from no file."""
    number = bisect_right(starts, offset, key=lambda part_start: part_start.start) - 1
    if number < 0:
        return None
    part = starts[number]
    return TextPlace(part.kind, part.number, 1 + text.count("\n", part.start, offset), part.file)


@dataclass(frozen=True, slots=True)
class FontLinks:
    """Hold the addresses of fonts, and of style sheets that may name some if the page itself names none."""

    fonts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PagePicture:
    """Represent a picture that may hold text of its page. content: its bytes, if the page embeds it."""

    address: str
    content: bytes | None = None


# A body, its headers, and its fetch time if known.
ThreadPage = tuple[bytes, tuple[tuple[str, str], ...], datetime | None]


class DropReason(StrEnum):
    """List why visible text of a page was not matched."""

    RECURRING = "recurring"  # other pages of the host show it, too
    ADVERT = "advert"
    NAVIGATION = "navigation"
    FURNITURE = "furniture"  # buttons, bylines, legal notices
    BESIDE = "beside"  # comments, side bars and the like


@dataclass(frozen=True, slots=True)
class DroppedText:
    """Represent dropped text of a page: whole lines, or a part of one.

    offset: its position in the matched text, in code points.
    """

    offset: int
    text: str
    reason: DropReason
    inside: bool = False  # a part of a line


@dataclass(frozen=True, slots=True)
class Box:
    """Represent a rectangle of a picture, in pixels from the upper left corner. right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLine:
    """Represent a line or column of recognized text. begins: it starts a paragraph."""

    text: str
    box: Box
    begins: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureText:
    """Hold the recognized text of a picture, in reading order."""

    id: str  # the picture's SHA-256; for a page of a document, the document's with the page's number
    lines: tuple[PictureLine, ...] = ()
    problem: Message | None = None  # why it could not be read


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """Locate text that was read from a picture, in code points. number: of the picture on the page, from 1; line: from
    1.
    """

    start: int
    end: int
    picture: str  # the id of its `PictureText`
    number: int
    line: int
    box: Box


class ContactKind(StrEnum):
    """List the kinds of site contacts."""

    OPERATOR = "operator"
    ICP = "icp"  # ICP备案: the registration of a site with the ministry of industry
    POLICE = "police"  # 公网安备: its registration with the public security
    MAIL = "mail"
    TELEPHONE = "telephone"
    QQ = "qq"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class SiteContact:
    """Represent a contact that a page states for its site. It is not verified."""

    kind: ContactKind
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPlace:
    """Represent a page's place in a longer text. Addresses are absolute, as `crawler.addresses.canonical_url` writes
    them.
    """

    chapter: int | None = None
    volume: int | None = None
    previous_page: str | None = None  # of the same chapter, or article
    next_page: str | None = None
    previous_chapter: str | None = None
    next_chapter: str | None = None
    novel: bool = False  # a chapter of a novel, not a page of an article


class Precision(StrEnum):
    """List how exactly a post's time is known."""

    MINUTE = "minute"
    HOUR = "hour"  # approximate
    DAY = "day"  # the time is the beginning of a day in China


@dataclass(frozen=True, slots=True)
class PostLine:
    """Represent a line of a post. quotation: the index of the post's quotation that holds it, or None."""

    text: str
    quotation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Represent a post. floor: its number in the thread, as stated by the page."""

    lines: tuple[PostLine, ...]
    author: str | None = None
    written_at: datetime | None = None
    precision: Precision | None = None  # how exactly `written_at` is known
    floor: int | None = None
    quoted: tuple[str | None, ...] = ()  # by quotation: its stated author


@dataclass(frozen=True, slots=True)
class Quotation:
    """Represent a quotation inside a post, in code points of a text. author: as stated."""

    start: int
    end: int
    author: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPost:
    """Represent a post by its position in a text, in code points."""

    start: int
    end: int
    author: str | None
    written_at: datetime | None
    precision: Precision | None
    floor: int | None
    quotations: tuple[Quotation, ...] = ()


# The extracted page, also for processes that parse none: the child parses (`crawler.extraction.sandbox_calls`).


NO_TEXT_PROBLEM = Message("page.no_text")
CUT_OFF_PROBLEM = Message("page.cut_off")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """Hold the extracted content of a page.

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
    lost: tuple[Message, ...] = ()  # unreadable parts, which are reported to people
    deciphered: bool = False  # the text is as the page's fonts show it
    parts: "tuple[PartStart, ...]" = ()  # of a file: where in the text each of its pages or chapters begins
    pictures: "tuple[PicturePlace, ...]" = ()  # the text that was read from pictures
    scans: tuple[int, ...] = ()  # of a file: the pages that only show a picture and are not read yet
    place: ChapterPlace = field(default_factory=ChapterPlace)
    judged: bool = False  # a second library took part in choosing the text
    without_doubtful: str | None = None  # the text without spans of which nobody can tell whether a reader sees them


@dataclass(frozen=True, slots=True)
class DecipheredPage:
    """Hold a page, and the characters that each font shows for the written ones, by the font's digest."""

    page: ExtractedPage
    learned: Mapping[str, Mapping[str, str]]
