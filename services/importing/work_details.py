"""What is said of a work, as people write it in a form, a table or a line of JSON: read, or refused with the reason."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from crawler.extract import publication_time
from store.errors import BadInput
from store.rules.china_time import CHINA
from store.rules.storable import storable

EARLIEST, LATEST = 100, 2999  # years
MOST_CHAPTERS = 10**9
LONGEST: Final[Mapping[str, int]] = {
    "title": 500,
    "author": 200,
    "owner": 200,
    "kind": 60,
    "series": 300,
    "url": 2_000,
    "proof": 1_000,
}  # characters

_LONGEST_DAY: Final = 40  # characters
_NO_DAY = re.compile(r"\d{4}年?|\d{4}[-/.年]\d{1,2}月?")


def read_detail(name: str, text: str) -> Any:
    """The value of one field of `Work`; None for no text. Raises `BadInput`."""
    return _READERS.get(name, _words)(name, text.strip())


def chapter_of(value: Any) -> int | None:
    """The number of a chapter; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    try:
        chapter = int(value)
    except (TypeError, ValueError, OverflowError):
        chapter = -1
    if not 0 <= chapter < MOST_CHAPTERS:
        raise BadInput("importing.bad_chapter", value=str(value)[:40], most=MOST_CHAPTERS - 1)
    return chapter


def moment_of(value: Any) -> datetime | None:
    """A time in ISO 8601, or a day as people in China write it, in UTC; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    written = str(value).strip()
    if _NO_DAY.fullmatch(written):
        raise BadInput("importing.date_without_day", value=written)
    if (moment := _time(written)) is None or not EARLIEST <= moment.year <= LATEST:
        raise BadInput("importing.bad_date", value=written[:40], first=EARLIEST, last=LATEST)
    # A date without a zone is one of China.
    return (moment if moment.tzinfo else moment.replace(tzinfo=CHINA)).astimezone(UTC)


def _time(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        pass
    # 2025/11/2 8:05, as Excel has it in China
    whole = len(written) <= _LONGEST_DAY and publication_time.TIME.fullmatch(written)
    return publication_time.parse_time(written) if whole else None


def _words(name: str, text: str) -> str | None:
    if len(text) > LONGEST[name]:
        raise BadInput("works.long_field", count=len(text), most=LONGEST[name])
    return storable(text) or None


def _title(name: str, text: str) -> str:
    if not text:
        raise BadInput("works.untitled")
    return _words(name, text) or text


def _address(name: str, text: str) -> str | None:
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if text and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise BadInput("works.bad_address", url=text[:200])
    return _words(name, text)


_READERS: Final[Mapping[str, Callable[[str, str], object]]] = {
    "title": _title,
    "url": _address,
    "chapter": lambda _, text: chapter_of(text),
    "published_at": lambda _, text: moment_of(text),
}
