"""Read a disguised page in other ways than letter by letter, as its copier may have changed it.

A letter that was put in is passed over. One that was replaced or left out is a blank, which any letter of a work fills.
A Latin letter between Han characters is read as the initial that it may stand for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import (
    CODE_POINTS,
    DIGIT_0,
    LATIN_A,
    LETTER_CODES,
    NO_LETTER,
    Initials,
    character_table,
    code_points,
)
from fingerprinter.compiled import compiled
from fingerprinter.normalize.pinyin import initial_codes
from matcher.retrieval.change_screen import ScreenedPage, screen_page
from matcher.retrieval.regular_changes import MIN_Z, ChangeKind, RegularChange, find_regular_changes

BLANK = LETTER_CODES  # the code of a blank
_MAX_READINGS = 5  # of a page that may be changed at a steady pace, the likeliest
# Letters around a stretch, as its ends are uncertain: that are looked up, and that are read in the same way.
_MARGIN, _REACH = 16, 160
_MIN_DENSE, _DENSE_REACH = 6, 60  # disguised characters that a stretch has, within so many code points
_MAX_LATIN_RUN = 8  # Latin letters in succession that may be initials
_MARKS = "，。、：；？！“”‘’（）《》「」『』【】—…·,.:;?!\"'()<>[]{}-/"  # that text has anyway
_SPACES = " \t\r\n\u3000"

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PageReading:
    """One way to read a page: m letters that are compared with works.

    letters: the m letters, blanks among them with the code `BLANK`. whole: all n letters of the page under this
    reading. origins: i64[m], ascending, the letter of `whole` behind each. blank: bool[m]. numbers: i64[n], the letters
    of the page as it is usually read, -1 for those that it lacks. begin, end: the letters that were disguised.
    max_blanks: blanks in six letters that a look-up fills. certain: whether the change is beyond chance.
    """

    letters: Initials
    whole: Initials
    origins: NDArray[np.int64]
    blank: Mask
    numbers: NDArray[np.int64]
    begin: int
    end: int
    max_blanks: int = 1
    certain: bool = False


def read_disguised(text: str, page: Initials) -> list[PageReading]:
    """Return the other ways in which a page may be read, the likeliest first. page: its letters."""
    if not page.in_order or not len(page):
        return []
    points = code_points(text)
    screened = screen_page(points, page.starts, _usual_characters())
    visible = _read_visible(points, page) if screened.odd else ()
    if not len(screened.segments) and not screened.recurs:
        return list(visible)
    return [*visible, *islice(_read_regular_changes(page, screened), _MAX_READINGS)]


def _read_regular_changes(page: Initials, screened: ScreenedPage) -> Iterator[PageReading]:
    """Yield a reading for each stretch that was changed at a steady pace."""
    numbers, han = screened.letters, screened.han
    # Programs count characters alone, or all that stands between them too.
    clocks = np.arange(len(han), dtype=np.int64), screened.places
    changes = [
        (change, clock)
        for number, clock in enumerate(clocks)
        for change in find_regular_changes(
            han,
            clock,
            screened.steps,
            np.ascontiguousarray(screened.segments[screened.segments[:, 0] == number, 1:]),
            recurs=screened.recurs,
        )
    ]
    read: list[tuple[RegularChange, NDArray[np.int64]]] = []
    for change, clock in sorted(changes, key=lambda item: -item[0].z):
        # What differs little may be read by either clock.
        rivals = [other for other, its_clock in read if change.z >= MIN_Z or its_clock is clock]
        if not any(_is_same_change(change, other) for other in rivals):
            read.append((change, clock))
            yield _read_change(page, numbers, clock, change)


def _is_same_change(first: RegularChange, second: RegularChange) -> bool:
    """Whether two changes are of one kind and pace and share most of a stretch, as those of both clocks often are."""
    shared = min(first.end, second.end) - max(first.begin, second.begin)
    shorter = min(first.end - first.begin, second.end - second.begin)
    return (first.kind, first.period, first.width) == (second.kind, second.period, second.width) and (
        2 * shared > shorter
    )


def _read_change(
    page: Initials, numbers: NDArray[np.int64], clock: NDArray[np.int64], change: RegularChange
) -> PageReading:
    """Return the page with one stretch as it was before its change. numbers: letters that the clock counts."""
    begin, end = _widen(change.begin, change.end, _REACH, len(numbers))
    behind = (clock[begin:end] - change.phase) % change.period
    size = len(page)
    if change.kind is ChangeKind.LEFT_OUT:
        gaps = numbers[begin:end][behind == 0] + 1
        gaps = gaps[gaps < size]
        origins = np.insert(np.arange(size), gaps, gaps - 1)
        blank = np.insert(np.zeros(size, np.bool_), gaps, True)
    else:
        changed = np.zeros(size, np.bool_)
        changed[numbers[begin:end][(behind > 0) & (behind <= change.width)]] = True
        put_in = change.kind is ChangeKind.PUT_IN
        origins = np.flatnonzero(~changed) if put_in else np.arange(size)
        blank = np.zeros(len(origins), np.bool_) if put_in else changed
    begin, end = _widen(change.begin, change.end, _MARGIN, len(numbers))
    first, last = np.searchsorted(origins, (numbers[begin], numbers[end - 1]))
    interval = change.period - (0 if change.kind is ChangeKind.LEFT_OUT else change.width)
    return _make_reading(
        page,
        origins,
        blank,
        int(first),
        int(last) + 1,
        max_blanks=2 if interval == _CLOSE else 1,
        certain=change.certain,
    )


def _widen(begin: int, end: int, margin: int, size: int) -> tuple[int, int]:
    return max(0, begin - margin), min(size, end + margin)


_CLOSE = 2  # letters between two blanks, where each six letters have two
_CLOSE_SHARE = 0.27  # share of blanks where most six letters have two


def _make_reading(
    whole: Initials,
    origins: NDArray[np.int64],
    blank: Mask,
    begin: int,
    end: int,
    *,
    numbers: NDArray[np.int64] | None = None,
    max_blanks: int = 1,
    certain: bool = False,
) -> PageReading:
    read = whole.only(origins)
    # A blank that was inserted has no width on the page. One that stands for a letter is that letter.
    inserted = np.flatnonzero(np.diff(origins, prepend=-1) == 0)
    starts = read.starts.copy()
    starts[inserted] = read.ends[inserted]
    letters = Initials(np.where(blank, np.uint8(BLANK), read.codes), starts, read.ends, read.length)
    if numbers is None:
        numbers = np.arange(len(whole))
    return PageReading(letters, whole, origins, blank, numbers, begin, end, max_blanks, certain)


def _read_visible(points: NDArray[np.uint32], page: Initials) -> Iterator[PageReading]:
    """Yield the page with Latin letters between Han characters as initials, and with masks as blanks."""
    table = character_table().codes
    if not _may_be_visible(points, table, _usual_marks()):
        return
    codes = table[points]
    han = codes < LATIN_A
    latin = (codes >= LATIN_A) & (codes < DIGIT_0)
    initials = _mark_between_han(codes, latin)
    masks = _mark_masks(points, codes)
    for disguised, blanks in ((initials, np.zeros_like(masks)), (masks, masks)):
        dense = _dense_range(np.flatnonzero(disguised))
        if dense is None:
            continue
        read = han | latin | ((codes >= DIGIT_0) & (codes < LETTER_CODES)) | blanks
        starts = np.flatnonzero(read).astype(np.uint32)
        spoken = np.where(initials, initial_codes()[np.where(latin, codes - LATIN_A, 0)], codes)
        whole = Initials(np.where(blanks, np.uint8(BLANK), spoken)[starts], starts, starts + np.uint32(1), page.length)
        usual = np.searchsorted(page.starts, starts)
        usual[usual == len(page)] = 0
        numbers = np.where(page.starts[usual] == starts, usual, -1)
        begin, end = np.searchsorted(starts, dense)
        begin, end = max(0, int(begin) - _MARGIN), min(len(starts), int(end) + _MARGIN)
        blank = blanks[starts]
        max_blanks = 2 if blank[begin:end].mean() > _CLOSE_SHARE else 1
        yield _make_reading(
            whole, np.arange(len(starts)), blank, begin, end, numbers=numbers, max_blanks=max_blanks, certain=True
        )


@cache
def _usual_marks() -> Mask:
    """Return bool[0x110000]: which code points are marks and spaces that text has anyway."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[*map(ord, _MARKS + _SPACES)]] = True
    return table


@cache
def _usual_characters() -> Mask:
    """Return bool[0x110000]: the same, and digits."""
    table = _usual_marks().copy()
    table[ord("0") : ord("9") + 1] = True
    return table


@compiled("b1(Array(u4, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True), b1[::1])")
def _may_be_visible(points, table, usual):  # type: ignore[no-untyped-def]  # compiled
    """Whether Latin letters stand close together in short runs beside Han characters, or enough unusual signs do."""
    recent = np.full(_MIN_DENSE, -CODE_POINTS, np.int64)  # places of the last such letters
    letters = signs = run = 0
    before = NO_LETTER
    run_behind = False
    for place in range(len(points) + 1):
        code = int(table[points[place]]) if place < len(points) else NO_LETTER
        if LATIN_A <= code < DIGIT_0:
            run_behind = run_behind if run else before < LATIN_A
            run += 1
        elif run:
            if run <= _MAX_LATIN_RUN and (run_behind or code < LATIN_A):
                for letter in range(place - run, place):
                    if letter - recent[(letters + 1) % _MIN_DENSE] <= _DENSE_REACH:
                        return True
                    recent[letters % _MIN_DENSE] = letter
                    letters += 1
            run = 0
        if code == NO_LETTER and place < len(points) and not usual[points[place]]:
            behind = place + 1 < len(points) and table[points[place + 1]] < LATIN_A
            signs += before < LATIN_A or behind
        before = code
    return signs >= _MIN_DENSE


def _mark_between_han(codes: NDArray[np.uint8], latin: Mask) -> Mask:
    """Mark the Latin letters in short runs that begin behind a Han character or end before one."""
    bounds = np.flatnonzero(np.diff(latin, prepend=False, append=False))
    begins, ends = bounds[::2], bounds[1::2]
    behind = (begins > 0) & (codes[begins - 1] < LATIN_A)
    before = (ends < len(codes)) & (codes[np.minimum(ends, len(codes) - 1)] < LATIN_A)
    marked = np.zeros(len(codes) + 1, np.int64)
    short = (ends - begins <= _MAX_LATIN_RUN) & (behind | before)
    marked[begins[short]] += 1
    marked[ends[short]] -= 1
    return np.cumsum(marked[:-1]) > 0


def _mark_masks(points: NDArray[np.uint32], codes: NDArray[np.uint8]) -> Mask:
    """Mark the signs in place of characters: of those that text lacks, the most frequent beside Han characters."""
    signs = (codes == NO_LETTER) & ~_usual_marks()[points]
    beside = np.zeros(len(points), np.bool_)
    beside[1:] |= codes[:-1] < LATIN_A
    beside[:-1] |= codes[1:] < LATIN_A
    values, counts = np.unique(points[signs & beside], return_counts=True)
    if not len(values) or counts.max() < _MIN_DENSE:
        return np.zeros(len(points), np.bool_)
    masks: Mask = points == values[counts.argmax()]
    return masks


def _dense_range(places: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the first and the last of these places that stand close together, or None where none do."""
    if len(places) < _MIN_DENSE:
        return None
    close = np.flatnonzero(places[_MIN_DENSE - 1 :] - places[: -_MIN_DENSE + 1] <= _DENSE_REACH)
    return (int(places[close[0]]), int(places[close[-1] + _MIN_DENSE - 1]) + 1) if len(close) else None
