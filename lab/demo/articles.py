"""What an article page of the little web is made of."""

from dataclasses import dataclass, replace

from lab.demo import disguises
from lab.demo.texts import own_paragraphs, work_paragraphs


@dataclass(frozen=True, slots=True)
class Copied:
    """A stretch of a work, all of it unless told: paragraphs [first, end), under a disguise."""

    work_title: str
    disguise: str = "none"
    first: int = 0
    end: int | None = None

    def source(self) -> tuple[str, ...]:
        """The work's own paragraphs that are copied."""
        return work_paragraphs(self.work_title)[self.first : self.end]

    def paragraphs(self) -> tuple[str, ...]:
        """What the page shows."""
        return disguises.apply(self.disguise, self.source())


@dataclass(frozen=True, slots=True)
class Own:
    """A text of `own_texts/`, which copies nothing."""

    name: str
    disguise: str = "none"

    def paragraphs(self) -> tuple[str, ...]:
        """What the page shows."""
        return disguises.apply(self.disguise, own_paragraphs(self.name))


@dataclass(frozen=True, slots=True)
class GivenLines:
    """Paragraphs that somebody put in the place of a page's text."""

    lines: tuple[str, ...]

    def paragraphs(self) -> tuple[str, ...]:
        """What the page shows."""
        return self.lines


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a page are written, and what the page says about it."""

    real: str
    meta: str | None  # in the page
    header: str | None  # in the response


UTF8 = Encoding("utf-8", "utf-8", "utf-8")
GBK = Encoding("gbk", "gbk", None)
BIG5 = Encoding("big5", "big5", "big5")
GBK_SAID_TO_BE_UTF8 = Encoding("gbk", "utf-8", None)
GBK_SAID_TO_BE_GB2312 = Encoding("gbk", "gb2312", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One page with a text. `previous` and `next` are paths on the same host, `attribution` is shown above the text."""

    host: str
    path: str
    title: str
    author: str
    date: str
    parts: tuple[Copied | Own | GivenLines, ...]
    encoding: Encoding = UTF8
    section: str = ""
    attribution: str = ""
    previous: str = ""
    next: str = ""
    continues: bool = False  # the same chapter as the previous page, which is matched with it as one text

    @property
    def address(self) -> tuple[str, str]:
        """Host and path."""
        return self.host, self.path

    def copied(self) -> tuple[Copied, ...]:
        """The parts that come from works."""
        return tuple(part for part in self.parts if isinstance(part, Copied))

    def paragraphs(self) -> tuple[str, ...]:
        """The text of the page."""
        return tuple(paragraph for part in self.parts for paragraph in part.paragraphs())

    def with_text(self, lines: tuple[str, ...]) -> "Article":
        """The same page with another text."""
        return replace(self, parts=(GivenLines(lines),))
