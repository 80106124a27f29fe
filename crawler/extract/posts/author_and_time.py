"""Who wrote a post, when, and its number, as words or attributes of its page say so."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from selectolax.lexbor import LexborNode

from crawler.extract.metadata import one_line
from crawler.extract.posts.post import Precision
from crawler.extract.posts.relative_time import Told, relative_time
from crawler.extract.publication_time import hour_in, parse_time

LONGEST_NAME = 40  # characters
LONGEST_MARK = 300  # characters in which a time or a number is looked for
_OF_TIMES = ("datetime", "data-time", "data-timestamp", "title", "content")
_OF_NAMES = ("content",)
_EPOCH = re.compile(r"(1\d{9})(\d{3})?")  # seconds, or milliseconds
_COMMA = re.compile(r"(?<=\d)\s*[,，]\s*(?=\d)")  # between day and hour
_HALF = re.compile(r"上午|中午|下午|晚上")  # of the day
_LATE = re.compile(r"下午|晚上|(?<=\d)\s*pm\b", re.IGNORECASE)
_NOON = 12
_FLOOR = re.compile(r"#\s?(\d{1,7})(?!\d)|(?<!\d)(\d{1,7})\s*(?:楼|樓|#)|^\s*(?:post[_-]?)?(\d{1,7})\s*$")
_NAMED = {"楼主": 1, "樓主": 1, "沙发": 2, "板凳": 3, "地板": 4, "地下室": 5}


def author_in(node: LexborNode, selectors: tuple[str, ...]) -> str | None:
    """The name that one of them gives."""
    for said in _said(node, selectors, _OF_NAMES):
        if 0 < len(name := one_line(said)) <= LONGEST_NAME:
            return name
    return None


def time_in(node: LexborNode, selectors: tuple[str, ...], fetched_at: datetime | None) -> Told | None:
    """The moment that one of them gives, in UTC, and how exactly; by when the page was fetched, where none is stated
    otherwise.
    """
    said = list(_said(node, selectors, _OF_TIMES))
    stated = next((told for one in said if (told := moment(one)) is not None), None)
    if stated is not None or fetched_at is None:
        return stated
    return next((told for one in said if (told := relative_time(one, fetched_at)) is not None), None)


def floor_in(node: LexborNode, selectors: tuple[str, ...]) -> int | None:
    """The number of the post in its thread that one of them gives."""
    numbers = (_floor(said) for said in _said(node, selectors, ()))
    return next((number for number in numbers if number is not None), None)


def moment(said: str) -> Told | None:
    """A moment as forums write it, in UTC, and how exactly it is told; without a zone it is China's.

    >>> moment("发表于 2023-4-1, 下午 09:11")[0].isoformat(), moment("1680311460")[0].isoformat()
    ('2023-04-01T13:11:00+00:00', '2023-04-01T01:11:00+00:00')
    """
    said = said.strip()[:LONGEST_MARK]
    if epoch := _EPOCH.fullmatch(said):
        return datetime.fromtimestamp(int(epoch[1]), UTC), Precision.MINUTE
    late = _LATE.search(said) is not None
    said = _COMMA.sub(" ", _HALF.sub("", said))
    found = parse_time(said)
    hour = hour_in(said)
    if found is None:
        return None
    if hour is None:
        return found, Precision.DAY
    return found + timedelta(hours=_NOON if late and hour < _NOON else 0), Precision.MINUTE


def _floor(said: str) -> int | None:
    said = said[:LONGEST_MARK]
    if found := _FLOOR.search(said):
        return int(found[1] or found[2] or found[3])
    return next((number for name, number in _NAMED.items() if name in said), None)


def _said(node: LexborNode, selectors: tuple[str, ...], names: tuple[str, ...]) -> Iterator[str]:
    """What the elements that fit say, in these attributes first."""
    for selector in selectors:
        if selector.startswith("@"):
            yield node.attributes.get(selector[1:]) or ""
            continue
        for one in node.css(selector):
            attributes = one.attributes
            yield from (attributes[name] or "" for name in names if name in attributes)
            yield one.text(deep=True) or ""
