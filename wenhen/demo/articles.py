"""Define the demo's article pages, load the texts that they show, and list all pages.

Texts are obfuscated as pirate sites do: traditional characters, homophones, adverts, invisible characters. The result
is deterministic.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from wenhen.kit.errors import BadInput
from wenhen.works.importers.drafts import Refused
from wenhen.works.importers.path_reader import read_paths
from wenhen.works.model import WorkDraft

_TRADITIONAL_TABLE_FILE = Path(__file__).parent / "tables" / "traditional.txt"


@cache
def traditional_table() -> dict[str, str]:
    """Simplified character or phrase -> traditional, of the same length."""
    lines = _TRADITIONAL_TABLE_FILE.read_text(encoding="utf-8").splitlines()
    entries = [entry for line in lines if not line.startswith("#") for entry in line.split()]
    return dict(
        (before, after) if sign else (entry[0], entry[1])
        for entry in entries
        for before, sign, after in [entry.partition("=")]
    )


@cache
def _simplified_pattern() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(traditional_table(), key=len, reverse=True))))


def to_traditional(text: str) -> str:
    """The text in traditional characters; its length stays, and converting twice changes nothing."""
    return _simplified_pattern().sub(lambda match: traditional_table()[match[0]], text)


_LEVEL_ONE_CODES = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the 3,755 characters in common use


@cache
def _characters_by_sound() -> dict[str, list[str]]:
    sounds: dict[str, list[str]] = {}
    for code in _LEVEL_ONE_CODES:
        char = code.to_bytes(2, "big").decode("gb2312", "ignore")
        # What Big5 holds too is (nearly always) written the same in both scripts, so that a swap survives conversion.
        if len(char) == 1 and char.encode("big5", "ignore") and (sound := sound_of(char)):
            sounds.setdefault(sound, []).append(char)
    return sounds


@cache
def sound_of(char: str) -> str | None:
    """The reading of a Han character with its tone; None where it has several, or none."""
    import pypinyin  # with all readings of 47,000 phrases

    if not unicodedata.name(char, "").startswith("CJK UNIFIED"):
        return None
    (readings,) = pypinyin.pinyin(char, style=pypinyin.Style.TONE3, heteronym=True)
    return readings[0] if len(readings) == 1 else None


def swap_homophones(text: str, percent: int) -> str:
    """About `percent` of the characters that have one reading and a homophone swapped; always the same ones."""
    return "".join(_swap_character(char, place, percent) for place, char in enumerate(text))


def _swap_character(char: str, place: int, percent: int) -> str:
    chance = crc32(f"{place}{char}".encode())  # not hash(): its values change from run to run
    sound = sound_of(char) if chance % 100 < percent else None
    others = [other for other in _characters_by_sound().get(sound, ()) if other != char] if sound else []
    return others[chance // 100 % len(others)] if others else char


# What the sites of the little web do to a text before they show it. All of it gives the same result on every run.


Disguise = Callable[[Sequence[str]], tuple[str, ...]]  # paragraphs -> paragraphs

ADVERTS = (
    "【一秒记住本站网址，最新章节抢先看】",
    "（手机用户请搜索本站同名小程序，免费无弹窗）",
    "——广告：正宗山泉水，满两箱包邮——",
    "【看书领红包，加群七七八二零四一】",
    "（本页未完，请点下一页继续浏览）",
)
INVISIBLE_CHARACTERS = ("\u200b", "\u200c", "\u2060", "\ufeff")
_HOMOPHONE_PERCENT = 50  # of the characters with one sure reading: about every tenth of all
_CLAUSES_PER_ADVERT = 6  # clauses
_CHARACTERS_PER_INVISIBLE = 3  # characters

_CLAUSE_PATTERN = re.compile(r"[^，。！？；：]*[，。！？；：”]*")


def copy_plain(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """A plain copy."""
    return tuple(paragraphs)


def convert_to_traditional(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """In traditional characters."""
    return tuple(map(to_traditional, paragraphs))


def replace_with_homophones(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """Every tenth character or so swapped for another of the same sound."""
    return tuple(swap_homophones(paragraph, _HOMOPHONE_PERCENT) for paragraph in paragraphs)


def insert_adverts(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """An advert after every sixth clause of a paragraph."""
    adverts = cycle(ADVERTS)
    return tuple(_insert_into_paragraph(paragraph, adverts) for paragraph in paragraphs)


def _insert_into_paragraph(paragraph: str, adverts: "cycle[str]") -> str:
    clauses = [clause for clause in _CLAUSE_PATTERN.findall(paragraph) if clause]
    return "".join(
        clause + (next(adverts) if number % _CLAUSES_PER_ADVERT == 0 else "")
        for number, clause in enumerate(clauses, 1)
    )


def insert_invisible(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """A character of no width after every third."""
    unseen = cycle(INVISIBLE_CHARACTERS)
    return tuple(
        "".join(
            char + (next(unseen) if place % _CHARACTERS_PER_INVISIBLE == 0 else "")
            for place, char in enumerate(paragraph, 1)
        )
        for paragraph in paragraphs
    )


DISGUISES: dict[str, Disguise] = {
    "none": copy_plain,
    "traditional": convert_to_traditional,
    "homophone": replace_with_homophones,
    "ads": insert_adverts,
    "invisible": insert_invisible,
}


def apply_disguise(disguise: str, paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The paragraphs under a disguise: a name of `DISGUISES`, or several joined by "+", in that order."""
    for name in disguise.split("+"):
        paragraphs = DISGUISES[name](paragraphs)
    return tuple(paragraphs)


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
