"""Parts of a site without an end: calendars, paths that grow by themselves, parameters that change nothing."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import parse_qsl, urlsplit

from store.messages import Message, message

LONGEST = 2000  # characters of an address; browsers once stopped there, and so do sites
MOST_SEGMENTS = 24  # of a path
MOST_ROUNDS = 3  # times that the same segments may follow each other
MOST_PARAMETERS = 16
FURTHEST_YEAR = 1  # years ahead that a calendar is believed
EARLIEST_YEAR = 1980  # of a calendar: there is no older page on the web, but archives name older years elsewhere
PROBE = 10  # of so many addresses of such a shape one is fetched
SAME = 20  # pages of one shape in a row that say the same
MOST_SHAPES = 10_000  # that are remembered, the last ones: where addresses are words, each page has a shape of its own
DIGITS = re.compile(r"\d+")
CALENDAR = re.compile(r"calendar|rili|\bcal\b|month|\bdate\b|event|schedule", re.IGNORECASE)
YEAR = re.compile(r"(?<!\d)((?:1[6-9]|2\d)\d\d)[-/_.]?(?:0?[1-9]|1[0-2])(?!\d{3})")


def endless(url: str, year: int | None = None) -> Message | None:
    """Why an address is taken for a part of something without an end, or None. `year` is the present one.

    >>> str(endless("http://a.test/x/news/x/news/x/news/x/news/"))
    'the same steps again and again in its path'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    segments = [segment for segment in parts.path.split("/") if segment]
    signs = (
        (len(url) > LONGEST, message("trap.long_address", count=LONGEST)),
        (len(segments) > MOST_SEGMENTS, message("trap.deep_path", count=MOST_SEGMENTS)),
        (_goes_round(segments[: MOST_SEGMENTS + 1]), Message("trap.round_path")),
        (parts.query.count("&") >= MOST_PARAMETERS, message("trap.many_parameters", count=MOST_PARAMETERS)),
        (_far_away(f"{parts.path}?{parts.query}", year), Message("trap.far_calendar")),
    )
    return next((why for sign, why in signs if sign), None)


def _far_away(where: str, year: int | None) -> bool:
    if not CALENDAR.search(where):
        return False
    latest = (year or datetime.now(UTC).year) + FURTHEST_YEAR
    return any(not EARLIEST_YEAR <= int(found[1]) <= latest for found in YEAR.finditer(where))


def _goes_round(segments: list[str]) -> bool:
    """Whether one or more segments follow themselves more often than any site means them to."""
    for length in range(1, len(segments) // (MOST_ROUNDS + 1) + 1):
        same = [one == other for one, other in zip(segments, segments[length:], strict=False)]
        longest = max((len(list(run)) for equal, run in groupby(same) if equal), default=0)
        if longest >= MOST_ROUNDS * length:
            return True
    return False


def shape(url: str) -> str:
    """What an address has in common with those that one template makes: numbers and values do not count.

    >>> shape("http://a.test/day/12?sid=f3&page=9") == shape("http://a.test/day/7?page=1&sid=0")
    True
    """
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


@dataclass(slots=True)
class TrapGuard:
    """What one crawl has learned of the site's traps."""

    _rows: dict[str, tuple[int, int]] = field(default_factory=dict)  # by shape: what the last said, how often in a row
    _waiting: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))  # that came up, by shape
    _objected: defaultdict[str, bool] = field(default_factory=lambda: defaultdict(bool))

    def learn(self, url: str, text: str) -> None:
        """Learn what a page says."""
        content = hash("".join(DIGITS.sub("", text).split()))
        known = shape(url)
        last, times = self._rows.pop(known, (content, 0))
        self._rows[known] = (content, min(times + 1, SAME) if content == last else 1)
        if len(self._rows) > MOST_SHAPES:
            del self._rows[next(iter(self._rows))]

    def objection(self, url: str) -> Message | None:
        """Why an address should not be asked for, or None."""
        if self._rows.get(shape(url), (0, 0))[1] >= SAME:
            return message("trap.same_pages", count=SAME)
        return endless(url)

    def shuts_out(self, url: str) -> bool:
        """Whether an address that waits to be fetched is left out: pages of its form said the same meanwhile. Now and
        then one is fetched all the same, and where it says something else its form is open again.
        """
        known = shape(url)
        if self._rows.get(known, (0, 0))[1] < SAME:
            return False
        self._waiting[known] += 1
        return self._waiting[known] % PROBE != 0

    def is_first(self, url: str) -> bool:
        """Whether this is the first address of its shape that is objected to; only that one is reported."""
        known = shape(url)
        first = not self._objected[known]
        self._objected[known] = True
        return first
