"""Parts of a site without an end: calendars, paths that grow by themselves, parameters that change nothing."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import urlsplit

from crawler.spiders.address_shapes import DIGITS, shape
from crawler.spiders.parts_without_new_text import FETCHES, LEAST, Yields
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


@dataclass(slots=True)
class TrapGuard:
    """What one crawl has learned of the site's traps."""

    _rows: dict[str, tuple[int, int]] = field(default_factory=dict)  # by shape: what the last said, how often in a row
    _waiting: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))  # that came up, by shape
    _objected: defaultdict[str, bool] = field(default_factory=lambda: defaultdict(bool))
    _yields: Yields = field(default_factory=Yields)

    def learn(self, url: str, text: str) -> None:
        """Learn what a page says."""
        self._yields.note(url, text)
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

    def shuts_out(self, url: str) -> Message | None:
        """Why an address that waits to be fetched is left out: what pages of its form, or its part of the site, said
        meanwhile. Now and then one is fetched all the same, and where it says something new the others are open again.
        """
        known = shape(url)
        if self._rows.get(known, (0, 0))[1] >= SAME:
            self._waiting[known] += 1
            return message("trap.same_pages", count=SAME) if self._waiting[known] % PROBE else None
        if part := self._yields.poor_part(url):
            self._waiting[part] += 1
            return None if _is_probe(self._waiting[part]) else _gives_nothing(part)
        return None

    def is_first(self, url: str) -> bool:
        """Whether this is the first address of its shape that is objected to; only that one is reported."""
        known = shape(url)
        first = not self._objected[known]
        self._objected[known] = True
        return first


def _is_probe(waited: int) -> bool:
    """Of ever more addresses one: the tenth, the twentieth, the fortieth."""
    return waited % PROBE == 0 and (waited // PROBE).bit_count() == 1


def _gives_nothing(part: str) -> Message:
    return message("trap.gives_nothing", part=part, count=FETCHES, least=LEAST)
