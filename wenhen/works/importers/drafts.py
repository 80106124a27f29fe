"""Parse the fields of a work, decode its text, and validate drafts. Items that fail become refusals."""

import codecs
import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from crawler.extraction.charset import DecodedText, decode_bytes
from crawler.extraction.dates import DATE_PATTERN, parse_time
from crawler.extraction.documents.document import MAX_REPLACED_SHARE
from crawler.extraction.documents.readability import is_misread
from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, Message, TooLarge, WenhenError, message
from wenhen.kit.size_and_time_limits import MAX_FILE_BYTES
from wenhen.kit.text import to_storable
from wenhen.works.model import WorkDraft

# What is said of a work, as people write it in a form, a table or a line of JSON: read, or refused with the reason.


MIN_YEAR, MAX_YEAR = 100, 2999  # years
MAX_CHAPTER_NUMBER = 10**9
MAX_FIELD_CHARACTERS: Final[Mapping[str, int]] = {
    "title": 500,
    "author": 200,
    "owner": 200,
    "kind": 60,
    "series": 300,
    "url": 2_000,
    "proof": 1_000,
}  # characters

_MAX_DATE_CHARACTERS: Final = 40  # characters
_PARTIAL_DATE = re.compile(r"\d{4}年?|\d{4}[-/.年]\d{1,2}月?")


def parse_field(name: str, text: str) -> Any:
    """The value of one field of `Work`; None for no text. Raises `BadInput`."""
    return _FIELD_PARSERS.get(name, _parse_text)(name, text.strip())


def parse_chapter(value: Any) -> int | None:
    """The number of a chapter; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    try:
        chapter = int(value)
    except (TypeError, ValueError, OverflowError):
        chapter = -1
    if not 0 <= chapter < MAX_CHAPTER_NUMBER:
        raise BadInput("importing.bad_chapter", value=str(value)[:40], most=MAX_CHAPTER_NUMBER - 1)
    return chapter


def parse_shortest_passage(value: Any) -> int | None:
    """Letters of a work's shortest passage; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    try:
        letters = int(value)
    except (TypeError, ValueError, OverflowError):
        letters = 0
    if not MIN_SHORTEST_PASSAGE <= letters <= MAX_SHORTEST_PASSAGE:
        raise BadInput(
            "importing.bad_shortest", value=str(value)[:40], least=MIN_SHORTEST_PASSAGE, most=MAX_SHORTEST_PASSAGE
        )
    return letters


def parse_publication_time(value: Any) -> datetime | None:
    """A time in ISO 8601, or a day as people in China write it, in UTC; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    written = str(value).strip()
    if _PARTIAL_DATE.fullmatch(written):
        raise BadInput("importing.date_without_day", value=written)
    if (moment := _parse_china_time(written)) is None or not MIN_YEAR <= moment.year <= MAX_YEAR:
        raise BadInput("importing.bad_date", value=written[:40], first=MIN_YEAR, last=MAX_YEAR)
    # A date without a zone is one of China.
    return (moment if moment.tzinfo else moment.replace(tzinfo=CHINA)).astimezone(UTC)


def _parse_china_time(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        pass
    # 2025/11/2 8:05, as Excel has it in China
    whole = len(written) <= _MAX_DATE_CHARACTERS and DATE_PATTERN.fullmatch(written)
    return parse_time(written) if whole else None


def _parse_text(name: str, text: str) -> str | None:
    if len(text) > MAX_FIELD_CHARACTERS[name]:
        raise BadInput("works.long_field", count=len(text), most=MAX_FIELD_CHARACTERS[name])
    return to_storable(text) or None


def _parse_title(name: str, text: str) -> str:
    if not text:
        raise BadInput("works.untitled")
    return _parse_text(name, text) or text


def _parse_url(name: str, text: str) -> str | None:
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if text and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise BadInput("works.bad_address", url=text[:200])
    return _parse_text(name, text)


_FIELD_PARSERS: Final[Mapping[str, Callable[[str, str], object]]] = {
    "title": _parse_title,
    "url": _parse_url,
    "chapter": lambda _, text: parse_chapter(text),
    "shortest_passage": lambda _, text: parse_shortest_passage(text),
    "published_at": lambda _, text: parse_publication_time(text),
}


# What reading a file gives: drafts, and refusals that cost nobody else their place.


MAX_ID_CHARACTERS = 1_000  # characters
MAX_LINE_CHARACTERS = MAX_FILE_BYTES // 3  # characters
CHARSET_SAMPLE_BYTES = 2**20  # of a long file, which tell its charset


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that could not be imported: which file or line, and why."""

    what: str
    reason: Message
    kind: str = BadInput.__name__  # class of the error

    @classmethod
    def by(cls, error: WenhenError, what: str) -> "Refused":
        """What an error refused."""
        return cls(what, error.message, type(error).__name__)


ImportItem = WorkDraft | Refused
ImportItems = Iterator[ImportItem]


def id_from_origin(origin: str) -> str:
    """An id for a work that brings none: readable, and the same at every import of the same file."""
    stem = PurePosixPath(origin).stem or "work"
    return f"{stem[:80]}-{hashlib.sha256(origin.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


UPLOAD_PREFIX: Final = "upload/"  # prefix of the file name in the origin of uploaded works
_ROW_IN_TABLE: Final = re.compile(r"(?P<name>.*):(?P<row>\d+)(\((?P<shown>\d+)\))?", re.DOTALL)


def describe_source(what: str) -> Message | str:
    """Return the place of an import in words: a file by its name, or a sheet, a row or a member of one.

    >>> str(describe_source("a.zip!/书目.xlsx!/Sheet:14"))
    '书目.xlsx in a.zip, sheet “Sheet”, row 14'
    >>> str(describe_source("书目.csv:14(9)"))
    '书目.csv, line 14, which is row 9 of a spreadsheet'
    """
    outer, inside, name = what.rpartition("!/")
    in_workbook = outer.lower().endswith(".xlsx")
    found = _ROW_IN_TABLE.fullmatch(name)
    row = found if found and (in_workbook or found["name"].lower().endswith((".csv", ".jsonl"))) else None
    if row:
        name = row["name"]
    place: Message | str = name if inside else name.removeprefix(UPLOAD_PREFIX)
    if inside:
        place = message(
            "importing.sheet" if in_workbook else "importing.member", file=describe_source(outer), name=name
        )
    if row and row["shown"]:
        return message("importing.line_and_row", place=place, line=int(row["row"]), row=int(row["shown"]))
    return message("importing.row", place=place, row=int(row["row"])) if row else place


def require_content(content: bytes) -> None:
    """Raises `BadInput` for a file that holds nothing, `TooLarge` for one that is too large."""
    if len(content) > MAX_FILE_BYTES:
        raise TooLarge("importing.too_many_mb", size=len(content) / 2**20, most=MAX_FILE_BYTES // 2**20)
    if not content.strip():
        raise BadInput("importing.empty_file")


def decode_text(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16, GB18030 or Big5. Raises `BadInput` for bytes that are no text."""
    require_content(content)
    text = require_readable_text(_detect_charset(content).text)
    if is_misread(text):
        raise BadInput("documents.garbled", reason=message("documents.misread"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _detect_charset(content: bytes) -> DecodedText:
    """A few Chinese characters are detected as whatever has a byte a character; that is what works are not."""
    decoded = decode_bytes(content)
    return decode_bytes(content, "gb18030") if len(decoded.text) == len(content) and not content.isascii() else decoded


def require_readable_text(text: str) -> str:
    """The text, if it was one before it was decoded. Raises `BadInput`."""
    bad = text.count("\N{REPLACEMENT CHARACTER}") + text.count("\0")
    if bad > MAX_REPLACED_SHARE * len(text):
        raise BadInput("importing.not_text")
    return text


def read_file_lines(path: Path) -> Iterator[str]:
    """The lines of a file of any size, one at a time in memory, in the charset of its beginning.

    Raises `BadInput` for an empty file, `TooLarge` for a line that is larger than a file may be.
    """
    with path.open("rb") as file:
        head = file.read(CHARSET_SAMPLE_BYTES)
        if not head.strip():
            raise BadInput("importing.empty_file")
        charset = _detect_charset(head).charset
        file.seek(len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0)  # which may stand before GB18030
        with io.TextIOWrapper(file, charset, errors="replace") as text:
            while line := text.readline(MAX_LINE_CHARACTERS):
                if len(line) == MAX_LINE_CHARACTERS:
                    raise TooLarge("importing.long_line", most=MAX_LINE_CHARACTERS)
                yield line.removeprefix("\ufeff")


def validate_draft(draft: WorkDraft) -> WorkDraft:
    """The draft, if it holds a text, and an id and a title that are none. Raises `BadInput`."""
    if not draft.text.strip():
        raise BadInput("importing.no_text")
    for name, value, most in (
        ("id", draft.id, MAX_ID_CHARACTERS),
        ("title", draft.title, MAX_FIELD_CHARACTERS["title"]),
    ):
        if len(value) > most:
            raise BadInput("importing.long_field", field=name, count=len(value), most=most)
    return draft
