"""Decide which of the addresses that a crawl finds are fetched.

Crawler traps are not: endless parts of a site, and sections without new text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import parse_qsl, urlsplit

from crawler.addresses import canonical_url, is_next_link, other_scheme_url, scheme_neutral_url
from crawler.crawl_stats import Ledger, SkipOutcome
from crawler.extraction.links import sort_in_reading_order
from crawler.job import CrawlJob
from crawler.skip_reasons import SkipReason
from crawler.spiders.page_summary import PageSummary
from wenhen.kit.errors import Message, message

DIGITS = re.compile(r"\d+")


def url_shape(url: str) -> str:
    """Return the common form of addresses that one template makes, without numbers and values.

    >>> url_shape("http://a.test/day/12?sid=f3&page=9") == url_shape("http://a.test/day/7?page=1&sid=0")
    True
    """
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


# The yield of a section: text that no page of this crawl had before, for every hundred fetches.


FETCHES_PER_VERDICT = 100  # fetches after which a section is judged, each time
MIN_NEW_CHARACTERS = 1000  # characters of new text in so many fetches: a headline each
MAX_READ_CHARACTERS = 20_000  # characters of a page that are read
MIN_PIECE_CHARACTERS = 4  # characters of a meaningful piece
MAX_PIECES = 200_000  # remembered pieces, the first ones
MAX_SECTIONS = 10_000  # remembered sections, the last ones
PIECE_END = re.compile(r"[。！？!?\n\r\t]+|\s{2,}")
NUMBERED_WORD = re.compile(r"(?<![\w-])[A-Za-z_-]*\d[\w-]*", re.ASCII)  # counters, dates, random tokens


def url_sections(url: str) -> tuple[str, str]:
    """Return the sections of an address: its shape, and its directory.

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
    """The yields of the sections of one crawl."""

    _said: set[int] = field(default_factory=set)
    _parts: dict[str, _Section] = field(default_factory=dict)

    def note(self, url: str, text: str) -> None:
        """Add a fetched page. A poor section opens again once one of its pages yields text."""
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
        """Return the poor section of an address, or None."""
        return next((name for name in url_sections(url) if (part := self._parts.get(name)) and part.poor), None)

    def _new(self, text: str) -> int:
        pieces = {
            piece
            for part in PIECE_END.split(NUMBERED_WORD.sub("", text[:MAX_READ_CHARACTERS]))
            if len(piece := part.strip()) >= MIN_PIECE_CHARACTERS
        }
        new = [piece for piece in pieces if hash(piece) not in self._said]
        if len(self._said) < MAX_PIECES:
            self._said.update(map(hash, new))
        return sum(map(len, new))


# Endless parts of a site: calendars, growing paths, parameters without effect.


MAX_ADDRESS_CHARACTERS = 2000  # characters: the old limit of browsers, which sites still keep
MAX_PATH_SEGMENTS = 24
MAX_PATH_ROUNDS = 3  # repetitions of the same segments
MAX_PARAMETERS = 16
MAX_YEARS_AHEAD = 1  # years: later dates of a calendar are not believed
EARLIEST_YEAR = 1980  # of a calendar: no older page is on the web, but archives name older years elsewhere
PROBE_INTERVAL = 10  # addresses of a suspected shape, of which one is fetched
MAX_SAME_PAGES = 20  # equal pages of one shape in a row
MAX_SHAPES = 10_000  # remembered shapes, the last ones: where addresses are words, each page has its own
CALENDAR_PATH = re.compile(r"calendar|rili|\bcal\b|month|\bdate\b|event|schedule", re.IGNORECASE)
YEAR_MONTH = re.compile(r"(?<!\d)((?:1[6-9]|2\d)\d\d)[-/_.]?(?:0?[1-9]|1[0-2])(?!\d{3})")


def trap_reason(url: str, year: int | None = None) -> Message | None:
    """Return why an address belongs to an endless part, or None. `year` is the present one.

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
    return any(not EARLIEST_YEAR <= int(date[1]) <= latest for date in YEAR_MONTH.finditer(where))


def _is_repeating_path(segments: list[str]) -> bool:
    """Return whether segments repeat more often than any site intends."""
    for length in range(1, len(segments) // (MAX_PATH_ROUNDS + 1) + 1):
        same = [segment == other for segment, other in zip(segments, segments[length:], strict=False)]
        longest = max((len(list(run)) for equal, run in groupby(same) if equal), default=0)
        if longest >= MAX_PATH_ROUNDS * length:
            return True
    return False


@dataclass(slots=True)
class TrapGuard:
    """The traps that one crawl has found on its site."""

    _rows: dict[str, tuple[int, int]] = field(default_factory=dict)  # by shape: the last text, and its repetitions
    _waiting: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))  # addresses by shape
    _objected: defaultdict[str, bool] = field(default_factory=lambda: defaultdict(bool))
    _yields: SectionYields = field(default_factory=SectionYields)

    def learn(self, url: str, text: str) -> None:
        """Learn from the text of a page."""
        self._yields.note(url, text)
        content = hash("".join(DIGITS.sub("", text).split()))
        known = url_shape(url)
        last, times = self._rows.pop(known, (content, 0))
        self._rows[known] = (content, min(times + 1, MAX_SAME_PAGES) if content == last else 1)
        if len(self._rows) > MAX_SHAPES:
            del self._rows[next(iter(self._rows))]

    def objection(self, url: str) -> Message | None:
        """Return why an address should not be entered, or None."""
        if self._rows.get(url_shape(url), (0, 0))[1] >= MAX_SAME_PAGES:
            return message("trap.same_pages", count=MAX_SAME_PAGES)
        return trap_reason(url)

    def shuts_out(self, url: str) -> Message | None:
        """Return why a waiting address is skipped, or None, by what its shape and section yielded meanwhile.

        Now and then one is fetched as a probe. If it has new text, the others are open again.
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
        """Return whether this is the first rejected address of its shape. Only that one is reported."""
        known = url_shape(url)
        first = not self._objected[known]
        self._objected[known] = True
        return first


def _is_probe(waited: int) -> bool:
    """Return whether the count is a probe. Probes grow rare: the tenth, the twentieth, the fortieth."""
    return waited % PROBE_INTERVAL == 0 and (waited // PROBE_INTERVAL).bit_count() == 1


def _poor_section_message(part: str) -> Message:
    return message("trap.gives_nothing", part=part, count=FETCHES_PER_VERDICT, least=MIN_NEW_CHARACTERS)


MAX_FOLLOWED_ADDRESSES = 100_000  # remembered addresses
_DIGITS_TO_LETTERS = str.maketrans("0123456789", "abcdefghij")  # trap detection ignores figures
SCRIPT_ENDPOINT = re.compile(r"(?<![a-z])(?:api|ajax|json|graphql|load|more)(?![a-z])", re.IGNORECASE)  # of an address
MAX_ANSWERS_PER_ENDPOINT = 500  # responses of one endpoint, which may be endless


class LinkPolicy:
    """Follows addresses of the job that are no traps, within its depth. The frontier knows which were seen."""

    def __init__(self, job: CrawlJob, ledger: Ledger, traps: TrapGuard) -> None:
        self._job = job
        self._ledger = ledger
        self._traps = traps
        self._answers = Counter[str]()  # requested responses, by endpoint
        self._followed: set[str] = set()  # recent ones: a site's menu stands on all its pages

    def admits(self, url: str) -> bool:
        """Return whether an address belongs to the job and is no trap."""
        url = self._job.home(url)
        if not self._job.wants(url):
            return False
        objection = self._traps.objection(url)
        if objection and self._traps.is_first(url):
            self._ledger.report_missed(url, SkipOutcome(True, SkipReason.TRAP, message("fetch.trap", reason=objection)))
        return not objection

    def follow(self, page: PageSummary, hops: int) -> Iterator[tuple[str, int]]:
        """Yield the addresses that a page leads to, with their number of hops."""
        url = canonical_url(page.url)
        self._traps.learn(url, _trap_text(page))
        own = canonical_url(page.own or url)
        if scheme_neutral_url(own) != scheme_neutral_url(url) and self.admits(own):
            yield own, hops
        for target in page.further:
            further = (
                hops if page.answer or SCRIPT_ENDPOINT.search(target) else hops + 1
            )  # it may be the next article's
            if further <= self._job.max_depth and self._goes_on(target):
                yield target, further
        for link, words in sort_in_reading_order(page.links):
            target = _with_page_scheme(url, link)
            further = hops if is_next_link(words) else hops + 1
            if target in self._followed or further > self._job.max_depth or not self.admits(target):
                continue
            if len(self._followed) >= MAX_FOLLOWED_ADDRESSES:
                self._followed.clear()
            self._followed.add(target)
            yield target, further

    def _goes_on(self, target: str) -> bool:
        """Return whether more content is loaded from an address, within the limit of its endpoint."""
        endpoint = target.partition("?")[0]
        if target in self._followed or self._answers[endpoint] >= MAX_ANSWERS_PER_ENDPOINT or not self.admits(target):
            return False
        self._answers[endpoint] += 1
        self._followed.add(target)
        return True

    def forget(self) -> None:
        """Allow followed addresses again."""
        self._followed.clear()


def _trap_text(page: PageSummary) -> str:
    """Return the text by which endless rows of pages are detected. For JSON that lists pages, their numbers count."""
    if not page.answer:
        return page.text
    return "\n".join((page.text, *(url for url, _ in page.links))).translate(_DIGITS_TO_LETTERS)


def _with_page_scheme(here: str, target: str) -> str:
    """Return the address of a link, with the page's scheme if it leads to the same host. Sites that moved to https keep
    old links.
    """
    if target.partition(":")[0] == here.partition(":")[0]:
        return target
    other = other_scheme_url(target)
    return other if other and other.split("/", 3)[:3] == here.split("/", 3)[:3] else target
