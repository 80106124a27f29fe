"""Find repeated rows that each hold a date, such as the posts of a thread.

Names, times, ranks, buttons and signatures are not text. For known forum programs, `posts` removes them from the tree.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from crawler.extraction.boilerplate.line_classification import (
    SENTENCE_STOPS,
    SHORT_LINE_CHARACTERS,
    is_button_line,
    is_byline,
    is_navigation,
    is_running_text,
)
from crawler.extraction.page_lines import Element, PageBlocks, TextLine, element_ends

_TIME_PATTERN = re.compile(
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}, (?:19|20)\d\d|"
    r"(?<!\d)\d{1,2}[:：]\d\d(?!\d)|(?:\d|半)\s*个?個?(?:秒|分|小时|小時|天|周|月|年)[钟鐘]?前|刚刚|剛剛|昨天|\bago\b"
)
_TIME_SIGN = re.compile(r":|：|前|刚|剛|昨|ago|, (?:19|20)")  # a cheap test before the full pattern
_MAX_TIME_LINE_CHARACTERS = 80  # characters of a line that states a time
_MIN_ROWS = 3  # rows of one kind
_MIN_ROW_SHARE = 0.8  # share of rows that state a time, and that have a body
_MIN_BODY_SHARE = 0.85  # share of the bodies' text that is in one place of each row
_MIN_FIELDS = 2  # fields beside the body, at least: a name and a time
_SENTENCE_STOP = re.compile(r"[。！？；，…”]|[.!?](?:\s|$)")
_DIGIT_RUN = re.compile(r"\d+")
_BARE_KINDS = frozenset(
    (tag, "") for tag in ("p", "ul", "ol", "li", "pre", "table", "tbody", "tr", "td", "h3", "h4", "h5")
)

RowKind = tuple[int, str, str]  # parent, tag, label without digits
RowPath = tuple[tuple[str, str], ...]  # from a row to an element in it


def elements_around_posts(blocks: PageBlocks, timed: Sequence[int]) -> set[int]:
    """Return the elements of such rows that hold nothing of a body. timed: elements of the lines that state a time."""
    if len(timed) < _MIN_ROWS:
        return set()
    elements, ends = set[int](), element_ends(blocks.elements)
    behind = 0  # end of the rows already examined; outermost rows come first
    for rows in _find_rows(blocks.elements, timed):
        if rows[0] >= behind:
            around = _RowGroup(blocks, rows, ends).surrounding_elements()
            if around:
                elements |= around
                behind = ends[rows[-1]]
    return elements


def is_time_line(text: str) -> bool:
    """Tell whether a line states when something was written and is no sentence."""
    if len(text) > _MAX_TIME_LINE_CHARACTERS or _TIME_SIGN.search(text) is None:
        return False
    return _TIME_PATTERN.search(text) is not None and SENTENCE_STOPS.search(text) is None


def _find_rows(elements: Sequence[Element], timed: Collection[int]) -> Iterator[list[int]]:
    """Yield groups of sibling elements of one kind most of which hold such a line, outermost groups first."""
    holding = set[int]()
    for around in timed:
        number = around
        while number and number not in holding:
            holding.add(number)
            number = elements[number].parent
    rows_by_kind: defaultdict[RowKind, list[int]] = defaultdict(list)
    for number in sorted(holding):
        rows_by_kind[_row_kind(elements[number])].append(number)
    kinds = {kind: rows for kind, rows in rows_by_kind.items() if len(rows) >= _MIN_ROWS}
    if kinds:
        parents = {kind[0] for kind in kinds}
        alike = Counter(_row_kind(element) for element in elements if element.parent in parents)
        yield from (rows for kind, rows in kinds.items() if len(rows) >= _MIN_ROW_SHARE * alike[kind])


def _row_kind(element: Element) -> RowKind:
    return element.parent, element.tag, strip_digits(element.label)


@lru_cache(maxsize=10_000)
def strip_digits(label: str) -> str:
    """Return a label without its digits, because rows of one kind are numbered."""
    return _DIGIT_RUN.sub("", label)


@dataclass(frozen=True, slots=True)
class _RowGroup:
    blocks: PageBlocks
    rows: Sequence[int]
    ends: Sequence[int]

    def surrounding_elements(self) -> set[int]:
        lines = list(self._lines())
        written = [(row, line) for row, line in lines if _is_written_line(line)]
        least = _MIN_ROW_SHARE * len(self.rows)
        if len({row for row, _ in written}) < least:
            return set()
        times = Counter(line.text for _, line in lines)
        path_of = cache(self._path)
        paths = [(row, line, path_of(row, line.element)) for row, line in lines]
        written = [(row, line) for row, line in written if times[line.text] == 1]  # a signature recurs in other rows
        body = _body_path([(len(line.text), path_of(row, line.element)) for row, line in written])
        within = {row for row, _, path in paths if path[: len(body)] == body}
        others = [(line, path) for _, line, path in paths if not _is_within_body(path, body)]
        if not body or len(within) < least or len({path for _, path in others}) < _MIN_FIELDS:
            return set()
        by_others = {
            line.element
            for line, path in others
            if _is_quotation_path(path) or (is_running_text(line) and times[line.text] == 1)
        }  # written by others, in it or below it
        return {line.element for line, _ in others} - by_others

    def _lines(self) -> Iterator[tuple[int, TextLine]]:
        """Yield the lines of the rows, each with its row."""
        first, behind = self.rows[0], self.ends[self.rows[-1]]
        for line in self.blocks.lines:
            if first <= line.element < behind:
                row = self.rows[bisect_right(self.rows, line.element) - 1]
                if line.element < self.ends[row]:
                    yield row, line

    def _path(self, row: int, number: int) -> RowPath:
        path: list[tuple[str, str]] = []
        while number != row:
            element = self.blocks.elements[number]
            path.append((element.tag, strip_digits(element.label)))
            number = element.parent
        return tuple(reversed(path))


def _is_within_body(path: RowPath, body: RowPath) -> bool:
    """Tell whether a path is within the body. Beside body paragraphs this includes lists and code."""
    if path[: len(body)] == body:
        return True
    end = len(body)
    while end > 1 and body[end - 1] in _BARE_KINDS:
        end -= 1
    return end < len(body) and path[:end] == body[:end] and all(part in _BARE_KINDS for part in path[end:])


def _is_quotation_path(path: RowPath) -> bool:
    return any(tag == "blockquote" or "quot" in label for tag, label in path)


def _is_written_line(line: TextLine) -> bool:
    if not (len(line.text) >= SHORT_LINE_CHARACTERS and not line.linked) and _SENTENCE_STOP.search(line.text) is None:
        return False
    return not (is_navigation(line) or is_button_line(line.text) or is_byline(line.text) or is_time_line(line.text))


def _body_path(written: Sequence[tuple[int, RowPath]]) -> RowPath:
    """Return the deepest path in a row below which nearly all of the body is."""
    place: RowPath = ()
    least = _MIN_BODY_SHARE * sum(length for length, _ in written)
    while True:
        below: Counter[RowPath] = Counter()
        for length, path in written:
            if len(path) > len(place) and path[: len(place)] == place:
                below[path[: len(place) + 1]] += length
        best = max(below, key=below.__getitem__, default=place)
        if best == place or below[best] < least:
            return place
        place = best
