"""Undo doubled characters, separators and marks for characters. Detect which obfuscations a text may have.

Most texts have none. A count, or the absence of a character that an obfuscation always needs, rules it out.
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_POINTS, IGNORED_POINT, LAST_ASCII
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_shapes import SPLIT_SIGNS
from fingerprinter.normalize.character_statistics import count_tagged, familiar_points, turned_tags
from fingerprinter.normalize.misread_encoding import MISREAD_SIGNS
from fingerprinter.normalize.notations import BYTE_SIGNS, ENTITY_SIGNS
from fingerprinter.normalize.reading_order import MIN_REVERSED_PAIRS_IN_TEXT, MIN_ROWS, OVERRIDE, has_rows
from fingerprinter.normalize.written_tags import MIN_WORD_TAGS, TAG_SIGNS, WORD_TAG_SIGNS

_Points = NDArray[np.uint32]

MIN_SEPARATED = 8  # occurrences of one character in succession, each behind one other character


# Doubled characters (我我们们在在) in long runs: the second one carries no information.
#
# Words with a natural reduplication (看看, 高高兴兴) are isolated or in small groups.


FIRST_HAN = 0x3400
MIN_DOUBLED = 12  # doubled characters in succession ...
_MAX_BETWEEN_DOUBLED = 6  # ... with at most so many other Han characters between two of them


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


# Obfuscations that a text may have, one bit each.
ESCAPED = 1  # what the modules of `_SIGNS` read; each module names its signs
SEPARATORS = 2
BARE_BYTES = 4
FRAMES = 8
TIMES = 16
REORDERED = 32
MISREAD = 64
DOUBLED = 256
LISTED = 512
TAGGED = 1024
_FAMILIAR = 128  # bit in the table of signs: characters that most texts consist of
_SIGNS = (ENTITY_SIGNS, BYTE_SIGNS, TAG_SIGNS, MISREAD_SIGNS, SPLIT_SIGNS, MARK_SIGNS)
_PAIR_SIGN = "ÿ"  # sign of UTF-16 that was read as Windows-1252
_UNFAMILIAR_STRIDE, _MIN_UNFAMILIAR = 4, 8  # misread text has so many unfamiliar sampled characters in succession
_MIN_LISTED_SAMPLES = 8  # a list of numbers has so many sampled digits or separators in succession
_SAMPLE_STRIDE, _MIN_SAMPLES = 8, 4  # a run of 32 ASCII letters and digits has so many of them in the sample
MIN_MARKED_DIGITS = 3  # digits that follow a mark, a space or a newline
_NEWLINE, _COLON, _WIDE_COLON = 10, ord(":"), ord("：")
_TAG_SIGN, _OTHER_TAG_SIGN = map(ord, WORD_TAG_SIGNS)


def detect_obfuscation(points: _Points) -> int:
    """Return the obfuscations that a text may have, as a sum of the bits above. Absent bits are ruled out. points:
    u32[n].
    """
    seen: int = _detect(points, _sign_table(), turned_tags())
    return seen


@cache
def _sign_table() -> NDArray[np.uint8]:
    """Return u8[0x110000]: at each sign its bit, elsewhere 0."""
    table = np.zeros(CODE_POINTS, np.uint8)
    table[[ord(sign) for signs in _SIGNS for sign in signs]] = ESCAPED
    table[ord(OVERRIDE)] = REORDERED
    table[ord(_PAIR_SIGN)] = ESCAPED | MISREAD
    table[familiar_points()] |= _FAMILIAR
    return table


@compiled("i8(Array(u4, 1, 'C', readonly=True), u1[::1], u1[::1])")
def _detect(points: _Points, signs: NDArray[np.uint8], tags: NDArray[np.uint8]) -> int:
    seen = np.uint8(0)
    for point in points:
        seen |= signs[point]
    alike, doubled, marked, times, newlines, word_tags = _count_neighbours(points)
    overridden = (seen & REORDERED) > 0
    turned = count_tagged(points, tags) >= MIN_REVERSED_PAIRS_IN_TEXT
    reordered = overridden or turned or (newlines >= MIN_ROWS - 1 and has_rows(points))
    obfuscations: int = (
        (seen & ESCAPED)
        + MISREAD * (((seen & MISREAD) > 0) | (_longest_unfamiliar(points, signs) >= _MIN_UNFAMILIAR))
        + LISTED * (_longest_listed(points) >= _MIN_LISTED_SAMPLES)
        + SEPARATORS * (alike >= MIN_SEPARATED)
        + BARE_BYTES * (_longest_sampled(points) >= _MIN_SAMPLES)
        + FRAMES * (marked >= MIN_MARKED_DIGITS)
        + TIMES * times
        + TAGGED * (word_tags >= MIN_WORD_TAGS)
        + REORDERED * reordered
        + DOUBLED * (doubled >= MIN_DOUBLED - 2 and has_doubles(points))
    )
    return obfuscations


@compiled("Tuple((i8, i8, i8, b1, i8, i8))(Array(u4, 1, 'C', readonly=True))")
def _count_neighbours(points: _Points) -> tuple[int, int, int, bool, int, int]:
    """Count neighbouring characters, but for the first two positions.

    Returns the number of alternations, of doubled characters and of digits behind a mark, whether a digit follows a
    colon, and the numbers of newlines and of letters behind the sign of a word tag.
    """
    count = max(0, len(points) - 2)
    # Slices of one length without branches, so that the compiler vectorizes the loop.
    current, befores, earlier = points[2:], points[1 : count + 1], points[:count]
    alike = doubled = marked = newlines = word_tags = 0
    times = False
    for place in range(count):
        point, before = current[place], befores[place]
        alike += (point == earlier[place]) & (point != before)
        doubled += (point == before) & (point >= FIRST_HAN)
        figure = (point >= ord("0")) & (point <= ord("9"))
        marked += figure & ((before < ord("0")) | ((before > ord("9")) & (before < ord("A"))))
        times |= figure & ((before == _COLON) | (before == _WIDE_COLON))
        newlines += point == _NEWLINE
        letter = ((point | 0x20) >= ord("a")) & ((point | 0x20) <= ord("z"))
        word_tags += letter & ((before == _TAG_SIGN) | (before == _OTHER_TAG_SIGN))
    return alike, doubled, marked, times, newlines, word_tags


@compiled("i8(Array(u4, 1, 'C', readonly=True))")
def _longest_sampled(points: _Points) -> int:
    """Return the longest run of ASCII letters and digits in the sample."""
    sampled = longest = 0
    for place in range(0, len(points), _SAMPLE_STRIDE):
        point = points[place]
        sampled = sampled + 1 if ord("/") <= point <= ord("z") or point == ord("+") else 0
        longest = max(longest, sampled)
    return longest


@compiled("i8(Array(u4, 1, 'C', readonly=True), u1[::1])")
def _longest_unfamiliar(points: _Points, signs: NDArray[np.uint8]) -> int:
    """Return the longest run of unfamiliar characters in the sample, ASCII left out."""
    sampled = longest = 0
    for place in range(0, len(points), _UNFAMILIAR_STRIDE):
        point = points[place]
        if point <= LAST_ASCII:
            continue
        sampled = sampled + 1 if signs[point] < _FAMILIAR else 0
        longest = max(longest, sampled)
    return longest


@compiled("i8(Array(u4, 1, 'C', readonly=True))")
def _longest_listed(points: _Points) -> int:
    """Return the longest run of digits in the sample, hexadecimal ones included."""
    sampled = longest = 0
    for place in range(0, len(points), _SAMPLE_STRIDE):
        point = points[place]
        figure = (point >= ord("0")) & (point <= ord("9")) | (point == ord(",")) | (point == ord(" "))
        small = point | 0x20
        figure |= (small >= ord("a")) & (small <= ord("f")) | (small == ord("x")) | (point == ord(";"))
        sampled = sampled + 1 if figure | (point == _NEWLINE) else 0
        longest = max(longest, sampled)
    return longest
