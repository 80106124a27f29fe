"""Detect crawler traps: endless parts of a site, and sections without new text."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import parse_qsl, urlsplit

from wenhen.kit.errors import Message, message

DIGITS = re.compile(r"\d+")


def url_shape(url: str) -> str:
    """What an address has in common with those that one template makes: numbers and values do not count.

    >>> url_shape("http://a.test/day/12?sid=f3&page=9") == url_shape("http://a.test/day/7?page=1&sid=0")
    True
    """
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


# What the pages of a part of a site give: text that no page of this crawl said before, by the hundred fetches.


FETCHES_PER_VERDICT = 100  # after which a part is judged, and again after as many
MIN_NEW_CHARACTERS = 1000  # characters of new text that so many pages have to give: a headline each
MAX_READ_CHARACTERS = 20_000  # characters of a page that are looked at
MIN_PIECE_CHARACTERS = 4  # characters of a piece that says something
MAX_PIECES = 200_000  # that are remembered, the first ones
MAX_SECTIONS = 10_000  # the last ones
PIECE_END = re.compile(r"[。！？!?\n\r\t]+|\s{2,}")
NUMBERED_WORD = re.compile(r"(?<![\w-])[A-Za-z_-]*\d[\w-]*", re.ASCII)  # counters, dates, tokens made up by chance


def url_sections(url: str) -> tuple[str, str]:
    """The parts that an address belongs to: its form, and its directory.

    >>> url_sections("http://a.test/shop/12/list.php?page=3")
    ('a.test/shop/0/list.php?page', 'a.test/shop/0/')
    """
    where = urlsplit(url)
    return url_shape(url), f"{where.netloc}{DIGITS.sub('0', where.path).rpartition('/')[0]}/"


@dataclass(slots=True)
class _Section:
    fetches: int = 0
    given: int = 0  # characters
    poor: bool = False


@dataclass(slots=True)
class SectionYields:
    """What one crawl has seen of them."""

    _said: set[int] = field(default_factory=set)
    _parts: dict[str, _Section] = field(default_factory=dict)

    def note(self, url: str, text: str) -> None:
        """Note a page that was fetched. A part that gave nothing is open again once one of its pages does."""
        given = self._new(text)
        for name in url_sections(url):
            part = self._parts.pop(name, None) or _Section()
            self._parts[name] = part
            part.fetches, part.given = part.fetches + 1, part.given + given
            if part.poor:
                part.poor = given < MIN_NEW_CHARACTERS // FETCHES_PER_VERDICT
            elif part.fetches >= FETCHES_PER_VERDICT:
                part.poor = part.given < MIN_NEW_CHARACTERS
            if part.fetches >= FETCHES_PER_VERDICT or (not part.poor and part.given >= MIN_NEW_CHARACTERS):
                part.fetches = part.given = 0
        if len(self._parts) > MAX_SECTIONS:
            del self._parts[next(iter(self._parts))]

    def poor_part(self, url: str) -> str | None:
        """The part that an address belongs to and that gave nothing lately, or None."""
        return next((name for name in url_sections(url) if (part := self._parts.get(name)) and part.poor), None)

    def _new(self, text: str) -> int:
        pieces = {
            piece
            for one in PIECE_END.split(NUMBERED_WORD.sub("", text[:MAX_READ_CHARACTERS]))
            if len(piece := one.strip()) >= MIN_PIECE_CHARACTERS
        }
        new = [piece for piece in pieces if hash(piece) not in self._said]
        if len(self._said) < MAX_PIECES:
            self._said.update(map(hash, new))
        return sum(map(len, new))


# Parts of a site without an end: calendars, paths that grow by themselves, parameters that change nothing.


MAX_ADDRESS_CHARACTERS = 2000  # characters of an address; browsers once stopped there, and so do sites
MAX_PATH_SEGMENTS = 24  # of a path
MAX_PATH_ROUNDS = 3  # times that the same segments may follow each other
MAX_PARAMETERS = 16
MAX_YEARS_AHEAD = 1  # years ahead that a calendar is believed
EARLIEST_YEAR = 1980  # of a calendar: there is no older page on the web, but archives name older years elsewhere
PROBE_INTERVAL = 10  # of so many addresses of such a shape one is fetched
MAX_SAME_PAGES = 20  # pages of one shape in a row that say the same
MAX_SHAPES = 10_000  # that are remembered, the last ones: where addresses are words, each page has a shape of its own
CALENDAR_PATH = re.compile(r"calendar|rili|\bcal\b|month|\bdate\b|event|schedule", re.IGNORECASE)
YEAR_MONTH = re.compile(r"(?<!\d)((?:1[6-9]|2\d)\d\d)[-/_.]?(?:0?[1-9]|1[0-2])(?!\d{3})")


def trap_reason(url: str, year: int | None = None) -> Message | None:
    """Why an address is taken for a part of something without an end, or None. `year` is the present one.

    >>> str(trap_reason("http://a.test/x/news/x/news/x/news/x/news/"))
    'the same steps again and again in its path'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    segments = [segment for segment in parts.path.split("/") if segment]
    signs = (
        (len(url) > MAX_ADDRESS_CHARACTERS, message("trap.long_address", count=MAX_ADDRESS_CHARACTERS)),
        (len(segments) > MAX_PATH_SEGMENTS, message("trap.deep_path", count=MAX_PATH_SEGMENTS)),
        (_is_repeating_path(segments[: MAX_PATH_SEGMENTS + 1]), Message("trap.round_path")),
        (parts.query.count("&") >= MAX_PARAMETERS, message("trap.many_parameters", count=MAX_PARAMETERS)),
        (_is_far_calendar(f"{parts.path}?{parts.query}", year), Message("trap.far_calendar")),
    )
    return next((why for sign, why in signs if sign), None)


def _is_far_calendar(where: str, year: int | None) -> bool:
    if not CALENDAR_PATH.search(where):
        return False
    latest = (year or datetime.now(UTC).year) + MAX_YEARS_AHEAD
    return any(not EARLIEST_YEAR <= int(found[1]) <= latest for found in YEAR_MONTH.finditer(where))


def _is_repeating_path(segments: list[str]) -> bool:
    """Whether one or more segments follow themselves more often than any site means them to."""
    for length in range(1, len(segments) // (MAX_PATH_ROUNDS + 1) + 1):
        same = [one == other for one, other in zip(segments, segments[length:], strict=False)]
        longest = max((len(list(run)) for equal, run in groupby(same) if equal), default=0)
        if longest >= MAX_PATH_ROUNDS * length:
            return True
    return False


@dataclass(slots=True)
class TrapGuard:
    """What one crawl has learned of the site's traps."""

    _rows: dict[str, tuple[int, int]] = field(default_factory=dict)  # by shape: what the last said, how often in a row
    _waiting: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))  # that came up, by shape
    _objected: defaultdict[str, bool] = field(default_factory=lambda: defaultdict(bool))
    _yields: SectionYields = field(default_factory=SectionYields)

    def learn(self, url: str, text: str) -> None:
        """Learn what a page says."""
        self._yields.note(url, text)
        content = hash("".join(DIGITS.sub("", text).split()))
        known = url_shape(url)
        last, times = self._rows.pop(known, (content, 0))
        self._rows[known] = (content, min(times + 1, MAX_SAME_PAGES) if content == last else 1)
        if len(self._rows) > MAX_SHAPES:
            del self._rows[next(iter(self._rows))]

    def objection(self, url: str) -> Message | None:
        """Why an address should not be asked for, or None."""
        if self._rows.get(url_shape(url), (0, 0))[1] >= MAX_SAME_PAGES:
            return message("trap.same_pages", count=MAX_SAME_PAGES)
        return trap_reason(url)

    def shuts_out(self, url: str) -> Message | None:
        """Why an address that waits to be fetched is left out: what pages of its form, or its part of the site, said
        meanwhile. Now and then one is fetched all the same, and where it says something new the others are open again.
        """
        known = url_shape(url)
        if self._rows.get(known, (0, 0))[1] >= MAX_SAME_PAGES:
            self._waiting[known] += 1
            return message("trap.same_pages", count=MAX_SAME_PAGES) if self._waiting[known] % PROBE_INTERVAL else None
        if part := self._yields.poor_part(url):
            self._waiting[part] += 1
            return None if _is_probe(self._waiting[part]) else _poor_section_message(part)
        return None

    def is_first(self, url: str) -> bool:
        """Whether this is the first address of its shape that is objected to; only that one is reported."""
        known = url_shape(url)
        first = not self._objected[known]
        self._objected[known] = True
        return first


def _is_probe(waited: int) -> bool:
    """Of ever more addresses one: the tenth, the twentieth, the fortieth."""
    return waited % PROBE_INTERVAL == 0 and (waited // PROBE_INTERVAL).bit_count() == 1


def _poor_section_message(part: str) -> Message:
    return message("trap.gives_nothing", part=part, count=FETCHES_PER_VERDICT, least=MIN_NEW_CHARACTERS)
