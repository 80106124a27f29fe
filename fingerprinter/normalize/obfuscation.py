"""Detect which obfuscations a text may have, in one pass.

Most texts have none. A count, or the absence of a character that an obfuscation always needs, rules it out.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_POINTS, LAST_ASCII
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_shapes import SPLIT_SIGNS
from fingerprinter.normalize.character_statistics import count_tagged, familiar_points, turned_tags
from fingerprinter.normalize.misread_encoding import MISREAD_SIGNS
from fingerprinter.normalize.notations import BYTE_SIGNS, ENTITY_SIGNS
from fingerprinter.normalize.obfuscated_characters import (
    FIRST_HAN,
    MARK_SIGNS,
    MIN_SEPARATED,
    has_doubles,
)
from fingerprinter.normalize.obfuscated_characters import MIN_DOUBLED as DOUBLES
from fingerprinter.normalize.reading_order import MIN_REVERSED_PAIRS_IN_TEXT, MIN_ROWS, OVERRIDE, has_rows
from fingerprinter.normalize.written_tags import MIN_WORD_TAGS, TAG_SIGNS, WORD_TAG_SIGNS

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

_Points = NDArray[np.uint32]


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
        + DOUBLED * (doubled >= DOUBLES - 2 and has_doubles(points))
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
