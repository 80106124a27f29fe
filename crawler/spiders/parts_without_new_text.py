"""What the pages of a part of a site give: text that no page of this crawl said before, by the hundred fetches."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from crawler.spiders.address_shapes import DIGITS, shape

FETCHES = 100  # after which a part is judged, and again after as many
LEAST = 1000  # characters of new text that so many pages have to give: a headline each
READ = 20_000  # characters of a page that are looked at
SHORTEST = 4  # characters of a piece that says something
MOST_PIECES = 200_000  # that are remembered, the first ones
MOST_PARTS = 10_000  # the last ones
ENDS = re.compile(r"[。！？!?\n\r\t]+|\s{2,}")
NUMBERED = re.compile(r"(?<![\w-])[A-Za-z_-]*\d[\w-]*", re.ASCII)  # counters, dates, tokens made up by chance


def parts_of(url: str) -> tuple[str, str]:
    """The parts that an address belongs to: its form, and its directory.

    >>> parts_of("http://a.test/shop/12/list.php?page=3")
    ('a.test/shop/0/list.php?page', 'a.test/shop/0/')
    """
    where = urlsplit(url)
    return shape(url), f"{where.netloc}{DIGITS.sub('0', where.path).rpartition('/')[0]}/"


@dataclass(slots=True)
class _Part:
    fetches: int = 0
    given: int = 0  # characters
    poor: bool = False


@dataclass(slots=True)
class Yields:
    """What one crawl has seen of them."""

    _said: set[int] = field(default_factory=set)
    _parts: dict[str, _Part] = field(default_factory=dict)

    def note(self, url: str, text: str) -> None:
        """Note a page that was fetched. A part that gave nothing is open again once one of its pages does."""
        given = self._new(text)
        for name in parts_of(url):
            part = self._parts.pop(name, None) or _Part()
            self._parts[name] = part
            part.fetches, part.given = part.fetches + 1, part.given + given
            if part.poor:
                part.poor = given < LEAST // FETCHES
            elif part.fetches >= FETCHES:
                part.poor = part.given < LEAST
            if part.fetches >= FETCHES or (not part.poor and part.given >= LEAST):
                part.fetches = part.given = 0
        if len(self._parts) > MOST_PARTS:
            del self._parts[next(iter(self._parts))]

    def poor_part(self, url: str) -> str | None:
        """The part that an address belongs to and that gave nothing lately, or None."""
        return next((name for name in parts_of(url) if (part := self._parts.get(name)) and part.poor), None)

    def _new(self, text: str) -> int:
        pieces = {piece for one in ENDS.split(NUMBERED.sub("", text[:READ])) if len(piece := one.strip()) >= SHORTEST}
        new = [piece for piece in pieces if hash(piece) not in self._said]
        if len(self._said) < MOST_PIECES:
            self._said.update(map(hash, new))
        return sum(map(len, new))
