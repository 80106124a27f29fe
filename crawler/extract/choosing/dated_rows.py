"""Parts of one kind that each tell a time, as the posts of a thread do: what stands in them around what was written.

Names, times, ranks, buttons and signatures are no part of the text; known forums have theirs taken out of the tree.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from crawler.extract.choosing.bylines_and_buttons import STOPS, is_buttons, is_byline
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.prose import SHORT, runs_on
from crawler.extract.page_lines import Element, PageBlocks, TextLine, ends_of

_TIME = re.compile(
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}, (?:19|20)\d\d|"
    r"(?<!\d)\d{1,2}[:：]\d\d(?!\d)|(?:\d|半)\s*个?個?(?:秒|分|小时|小時|天|周|月|年)[钟鐘]?前|刚刚|剛剛|昨天|\bago\b"
)
_SIGN = re.compile(r":|：|前|刚|剛|昨|ago|, (?:19|20)")  # the other is asked of no other line
_LONGEST = 80  # characters of a line that tells one
_LEAST = 3  # of one kind
_SHARE = 0.8  # of them that tell a time, and that hold what was written
_MOST = 0.85  # share of what was written that stands in one place of each
_FIELDS = 2  # beside it, at least: a name and a time
_SENTENCE = re.compile(r"[。！？；，…”]|[.!?](?:\s|$)")
_DIGITS = re.compile(r"\d+")
_BARE = frozenset((tag, "") for tag in ("p", "ul", "ol", "li", "pre", "table", "tbody", "tr", "td", "h3", "h4", "h5"))

Kind = tuple[int, str, str]  # parent, tag, label without its numbers
Path = tuple[tuple[str, str], ...]  # from a row to an element in it


def around_posts(blocks: PageBlocks, timed: Sequence[int]) -> set[int]:
    """The elements in such rows that hold nothing of what was written. timed: the element of each line that tells a
    time.
    """
    if len(timed) < _LEAST:
        return set()
    found, ends = set[int](), ends_of(blocks.elements)
    behind = 0  # of the rows that were looked at; the outermost are
    for rows in _rows(blocks.elements, timed):
        if rows[0] >= behind:
            around = _Rows(blocks, rows, ends).around()
            if around:
                found |= around
                behind = ends[rows[-1]]
    return found


def tells_time(text: str) -> bool:
    """Whether a line tells when something was written, and says no sentence."""
    if len(text) > _LONGEST or _SIGN.search(text) is None:
        return False
    return _TIME.search(text) is not None and STOPS.search(text) is None


def _rows(elements: Sequence[Element], timed: Collection[int]) -> Iterator[list[int]]:
    """Elements of one kind beside each other, most of which hold such a line; those around others first."""
    holding = set[int]()
    for around in timed:
        number = around
        while number and number not in holding:
            holding.add(number)
            number = elements[number].parent
    found: defaultdict[Kind, list[int]] = defaultdict(list)
    for number in sorted(holding):
        found[_kind(elements[number])].append(number)
    kinds = {kind: rows for kind, rows in found.items() if len(rows) >= _LEAST}
    if kinds:
        parents = {kind[0] for kind in kinds}
        alike = Counter(_kind(one) for one in elements if one.parent in parents)
        yield from (rows for kind, rows in kinds.items() if len(rows) >= _SHARE * alike[kind])


def _kind(element: Element) -> Kind:
    return element.parent, element.tag, _bare(element.label)


@lru_cache(maxsize=10_000)
def _bare(label: str) -> str:
    return _DIGITS.sub("", label)


@dataclass(frozen=True, slots=True)
class _Rows:
    blocks: PageBlocks
    rows: Sequence[int]
    ends: Sequence[int]

    def around(self) -> set[int]:
        lines = list(self._lines())
        written = [(row, line) for row, line in lines if _is_written(line)]
        least = _SHARE * len(self.rows)
        if len({row for row, _ in written}) < least:
            return set()
        times = Counter(line.text for _, line in lines)
        path_of = cache(self._path)
        paths = [(row, line, path_of(row, line.element)) for row, line in lines]
        written = [(row, line) for row, line in written if times[line.text] == 1]  # and no signature
        body = _place([(len(line.text), path_of(row, line.element)) for row, line in written])
        within = {row for row, _, path in paths if path[: len(body)] == body}
        others = [(line, path) for _, line, path in paths if not _is_within(path, body)]
        if not body or len(within) < least or len({path for _, path in others}) < _FIELDS:
            return set()
        said = {
            line.element for line, path in others if _quotes(path) or (runs_on(line) and times[line.text] == 1)
        }  # by others, in it or below it
        return {line.element for line, _ in others} - said

    def _lines(self) -> Iterator[tuple[int, TextLine]]:
        """The lines of the rows, each with its row."""
        first, behind = self.rows[0], self.ends[self.rows[-1]]
        for line in self.blocks.lines:
            if first <= line.element < behind:
                row = self.rows[bisect_right(self.rows, line.element) - 1]
                if line.element < self.ends[row]:
                    yield row, line

    def _path(self, row: int, number: int) -> Path:
        path: list[tuple[str, str]] = []
        while number != row:
            element = self.blocks.elements[number]
            path.append((element.tag, _bare(element.label)))
            number = element.parent
        return tuple(reversed(path))


def _is_within(path: Path, body: Path) -> bool:
    """Whether something stands in that place; if it is that of paragraphs, also as a list or code beside them."""
    if path[: len(body)] == body:
        return True
    end = len(body)
    while end > 1 and body[end - 1] in _BARE:
        end -= 1
    return end < len(body) and path[:end] == body[:end] and all(part in _BARE for part in path[end:])


def _quotes(path: Path) -> bool:
    return any(tag == "blockquote" or "quot" in label for tag, label in path)


def _is_written(line: TextLine) -> bool:
    if not (len(line.text) >= SHORT and not line.linked) and _SENTENCE.search(line.text) is None:
        return False
    return not (is_navigation(line) or is_buttons(line.text) or is_byline(line.text) or tells_time(line.text))


def _place(written: Sequence[tuple[int, Path]]) -> Path:
    """The deepest place in a row below which next to all stands that was written."""
    place: Path = ()
    least = _MOST * sum(length for length, _ in written)
    while True:
        below: Counter[Path] = Counter()
        for length, path in written:
            if len(path) > len(place) and path[: len(place)] == place:
                below[path[: len(place) + 1]] += length
        best = max(below, key=below.__getitem__, default=place)
        if best == place or below[best] < least:
            return place
        place = best
