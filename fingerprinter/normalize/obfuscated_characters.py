"""Undo doubled characters, separators between characters, and marks that stand for characters."""

import re

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import IGNORED_POINT, LAST_ASCII
from fingerprinter.compiled import compiled

MIN_SEPARATED = 8  # occurrences of one character in succession, each behind one other character


# Doubled characters (我我们们在在) in long runs: the second one carries no information.
#
# Words with a natural reduplication (看看, 高高兴兴) are isolated or in small groups.


FIRST_HAN = 0x3400
MIN_DOUBLED = 12  # doubled characters in succession ...
_MAX_BETWEEN_DOUBLED = 6  # ... with at most so many other Han characters between two of them

_Points = NDArray[np.uint32]


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def has_doubles(points: _Points) -> bool:
    """Tell whether characters are doubled in succession. It runs at memory speed."""
    count = between = 0
    for place in range(1, len(points)):
        if _is_doubled(points, place):
            count = count + 1 if between <= _MAX_BETWEEN_DOUBLED else 1
            between = -1  # the first of the next one is counted, too
            if count == MIN_DOUBLED:
                return True
        else:
            between += points[place] >= FIRST_HAN
    return False


@compiled("u4[::1](Array(u4, 1, 'C', readonly=True))")
def remove_doubles(points: _Points) -> _Points:
    """Replace the second of two doubled characters by one without an initial. points: u32[n]."""
    read = points.copy()
    seconds = np.empty(len(points), np.int64)  # positions of the current succession
    count = between = 0
    for place in range(1, len(points)):
        if not _is_doubled(points, place):
            between += points[place] >= FIRST_HAN
            continue
        count = count if between <= _MAX_BETWEEN_DOUBLED else 0
        between = -1
        seconds[count] = place
        count += 1
        if count >= MIN_DOUBLED:
            read[seconds[:count] if count == MIN_DOUBLED else seconds[count - 1 : count]] = IGNORED_POINT
    return read


@compiled("b1(Array(u4, 1, 'C', readonly=True), i8)")
def _is_doubled(points: _Points, place: int) -> bool:
    """Tell whether the Han character at `place` equals the one before it, and no third one is beside them."""
    point = points[place]
    if point < FIRST_HAN or points[place - 1] != point:
        return False
    behind = place + 1 < len(points) and points[place + 1] == point
    return not behind and not (place > 1 and points[place - 2] == point)


# A character that occurs between all others (云口在口山口上) is a separator, whatever its usual meaning.
#
# Marks without an initial are dropped without a context check. Sayings repeat a character as well (一心一意，一言一行).
# The characters between the repetitions are then no running text, which has particles, pronouns and punctuation.


_REPEATED_IN_SAYINGS = np.array([ord(char) for char in "一不有无無大小半又越也时時自若可非多好没沒各连連"], np.uint32)
_PARTICLES = np.array(
    sorted(ord(char) for char in "的了是在我他她它你们們这這那个個上到就都着著过過来來和与與对對之其者而曰于於以为為"),
    np.uint32,
)
_MAX_PLAIN_BETWEEN = 12  # so many characters of running text have at least one particle, pronoun or punctuation mark
_FIRST_WIDE_MARK = 0xFF00  # the first code point of full-width punctuation


def remove_separators(points: _Points) -> _Points:
    """Replace separators by a code point without an initial. points: u32[n]."""
    counts, others = _count_alternations(points)
    read: _Points = _blank_separators(points.copy(), counts, others, _REPEATED_IN_SAYINGS, _PARTICLES)
    return read


@compiled("UniTuple(i4[::1], 2)(Array(u4, 1, 'C', readonly=True))")
def _count_alternations(points):  # type: ignore[no-untyped-def]  # compiled
    """Count from each position how often its alternation continues, and how often the characters between change.

    Returns two i32[n]. It runs from the end, because looking ahead from each position would be quadratic in the length.
    """
    counts, others = np.zeros(len(points), np.int32), np.zeros(len(points), np.int32)
    for place in range(len(points) - 1, 1, -1):
        if points[place] != points[place - 2] or points[place] == points[place - 1] or points[place] <= LAST_ASCII:
            continue
        goes_on = place + 2 < len(points) and counts[place + 2] > 0
        counts[place] = 1 + (counts[place + 2] if goes_on else 0)
        others[place] = others[place + 2] + (points[place + 1] != points[place - 1]) if goes_on else 0
    return counts, others


@compiled("b1(Array(u4, 1, 'C', readonly=True), u4)")
def _is_among(sought, point):  # type: ignore[no-untyped-def]  # compiled
    for each in sought:  # noqa: SIM110  compiled
        if each == point:
            return True
    return False


@compiled("u4[::1](u4[::1], i4[::1], i4[::1], Array(u4, 1, 'C', readonly=True), Array(u4, 1, 'C', readonly=True))")
def _blank_separators(points, counts, others, repeated, particles):  # type: ignore[no-untyped-def]  # compiled
    starts = np.empty(len(points), np.int64)
    between = np.zeros(len(repeated), np.int64)  # characters between the occurrences of each, in the whole text
    plain = np.zeros(len(repeated), np.int64)  # particles and punctuation among them
    count = 0
    place = 2
    while place < len(points):
        if counts[place] >= MIN_SEPARATED and 2 * others[place] >= counts[place]:
            starts[count] = place
            count += 1
            end = place + 2 * counts[place]
            for each in range(len(repeated)):
                if repeated[each] == points[place]:
                    between[each] += counts[place]
                    for offset in range(place - 1, min(end, len(points)), 2):
                        mark = points[offset] < FIRST_HAN or points[offset] >= _FIRST_WIDE_MARK
                        plain[each] += mark or _is_among(particles, points[offset])
            place = end
        place += 1
    for place in starts[:count]:
        saying = False
        for each in range(len(repeated)):
            if repeated[each] == points[place]:
                saying = plain[each] * _MAX_PLAIN_BETWEEN < between[each]
        if not saying:
            for offset in range(place - 2, place + 2 * counts[place], 2):
                points[offset] = IGNORED_POINT
    return points


# Marks that stand for a character: ○ between numerals for 〇, and 々 for the character before it.


MARK_SIGNS = "○々"
_NUMERALS = "〇零一二三四五六七八九十百千两壹贰叁肆伍陆柒捌玖"
_RINGS = re.compile("○+")
_REPEATED = re.compile("([\u3400-\u9fff])(々+)")


def read_marks(text: str) -> str:
    """Replace these marks by the characters that they stand for.

    >>> read_marks("二○二四年，人々") == "二〇二四年，人人"
    True
    """
    if "○" in text:
        text = _RINGS.sub(_read_rings, text)
    if "々" in text:
        text = _REPEATED.sub(lambda repeated: repeated[1] * (1 + len(repeated[2])), text)
    return text


def _read_rings(rings: re.Match[str]) -> str:
    beside = rings.string[max(0, rings.start() - 1) : rings.start()] + rings.string[rings.end() : rings.end() + 1]
    return "〇" * len(rings[0]) if any(numeral in _NUMERALS for numeral in beside) else rings[0]
