"""Define the demo's article pages, load the texts that they show, and list all pages."""

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from wenhen.demo.disguises import apply_disguise
from wenhen.kit.errors import BadInput
from wenhen.works.importers.drafts import Refused
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import WorkDraft

# The texts that the little web is made of: the works, as the product imports them, and texts that copy nothing.


_DEMO_FOLDER = Path(__file__).parent
WORKS_DIR = _DEMO_FOLDER / "works"  # what the demo imports
OWN_TEXTS_DIR = _DEMO_FOLDER / "own_texts"  # never imported: nobody's copies

_MARKUP_PATTERN = re.compile(r"^(?:#+ |- )|\*\*|`", re.MULTILINE)


@cache
def load_works() -> dict[str, WorkDraft]:
    """The demo's works by title."""
    works: dict[str, WorkDraft] = {}
    for path in read_paths([WORKS_DIR]):
        if isinstance(path, Refused):
            raise BadInput("lab.demo_work", refused=path)
        works[path.title] = path
    return works


@cache
def work_paragraphs(title: str) -> tuple[str, ...]:
    """The paragraphs of a work as a site would show them: without Markdown's marks."""
    return split_paragraphs(_MARKUP_PATTERN.sub("", load_works()[title].text))


@cache
def own_paragraphs(name: str) -> tuple[str, ...]:
    """The paragraphs of a text of `own_texts/`, named without its ending."""
    return split_paragraphs((OWN_TEXTS_DIR / f"{name}.txt").read_text(encoding="utf-8"))


def split_paragraphs(text: str) -> tuple[str, ...]:
    """The lines that hold text, without the white space around them."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


@dataclass(frozen=True, slots=True)
class CopiedText:
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
        return apply_disguise(self.disguise, self.source())


@dataclass(frozen=True, slots=True)
class OwnText:
    """A text of `own_texts/`, which copies nothing."""

    name: str
    disguise: str = "none"

    def paragraphs(self) -> tuple[str, ...]:
        """What the page shows."""
        return apply_disguise(self.disguise, own_paragraphs(self.name))


@dataclass(frozen=True, slots=True)
class ReplacedText:
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
    parts: tuple[CopiedText | OwnText | ReplacedText, ...]
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

    def copied_parts(self) -> tuple[CopiedText, ...]:
        """The parts that come from works."""
        return tuple(part for part in self.parts if isinstance(part, CopiedText))

    def paragraphs(self) -> tuple[str, ...]:
        """The text of the page."""
        return tuple(paragraph for part in self.parts for paragraph in part.paragraphs())

    def with_text(self, lines: tuple[str, ...]) -> "Article":
        """The same page with another text."""
        return replace(self, parts=(ReplacedText(lines),))


_ARTICLES_FILE: Final = Path(__file__).with_name("articles.jsonl")  # one article a line, in the order of the lists
_ENCODINGS: Final[dict[str, Encoding]] = {
    "utf8": UTF8,
    "gbk": GBK,
    "big5": BIG5,
    "gbk-said-to-be-utf8": GBK_SAID_TO_BE_UTF8,
    "gbk-said-to-be-gb2312": GBK_SAID_TO_BE_GB2312,
}


def _make_article(fields: dict[str, Any]) -> Article:
    encoding = _ENCODINGS[fields.pop("encoding", "utf8")]
    parts = tuple(CopiedText(**part) if "work_title" in part else OwnText(**part) for part in fields.pop("parts"))
    return Article(**fields, encoding=encoding, parts=parts)


ARTICLES: Final[tuple[Article, ...]] = tuple(
    _make_article(json.loads(line)) for line in _ARTICLES_FILE.read_text(encoding="utf-8").splitlines()
)
