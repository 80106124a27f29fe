"""What a page says, for those too who read none themselves: the child does that (`crawler.extract.read_page`)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from crawler.extract.chapters.chapter_place_record import ChapterPlace
from store.messages import Message

if TYPE_CHECKING:  # they stand beside what reads
    from crawler.extract.files.document import PartStart
    from crawler.extract.pictures.pictures_in_text import PicturePlace

NO_TEXT = Message("page.no_text")
CUT_OFF = Message("page.cut_off")


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
