"""Remove the timestamps of subtitles, lyrics and chats.

Formats: [00:12.30], 00:01:02,345 --> 00:01:05,000 and the cue number above it, 20:15, 2024-05-01 20:15:33. Their digits
are not text: a copy without them reads the same.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import IGNORED_POINT
from fingerprinter.compiled import compiled

_COLON, _WIDE_COLON = ord(":"), ord("：")
_SPACE, _NEWLINE, _RETURN = ord(" "), ord("\n"), ord("\r")
_DASH, _GREATER, _STOP, _COMMA, _SLASH = ord("-"), ord(">"), ord("."), ord(","), ord("/")
_ZERO, _FIVE, _NINE = ord("0"), ord("5"), ord("9")

_Points = NDArray[np.uint32]


def remove_timestamps(points: _Points) -> _Points:
    """Replace the code points of timestamps by one without an initial.

    points: u32[n], returned unchanged if there are none.
    """
    times = _find_time(points, 0)
    return points if times < 0 else _blank_timestamps(points.copy(), times)


@compiled("b1(Array(u4, 1, 'C', readonly=True), i8)")
def _is_digit(points, place):  # type: ignore[no-untyped-def]  # compiled
    return 0 <= place < len(points) and _ZERO <= points[place] <= _NINE


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _find_time(points, begin):  # type: ignore[no-untyped-def]  # compiled
    """Return the next colon with an hour or minute before it and two digits behind it, or -1."""
    for place in range(max(1, begin), len(points) - 2):
        if points[place] not in (_COLON, _WIDE_COLON):
            continue
        minutes = (
            _is_digit(points, place + 2) and _ZERO <= points[place + 1] <= _FIVE and not _is_digit(points, place + 3)
        )
        hours = 0
        while hours < 4 and _is_digit(points, place - 1 - hours):
            hours += 1
        if minutes and 0 < hours <= 3:
            return place
    return -1


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _time_end(points, colon):  # type: ignore[no-untyped-def]  # compiled
    """Return the end of a time, behind its seconds and their fraction."""
    end = colon + 3
    colons = points[min(end, len(points) - 1)]
    if colons in (_COLON, _WIDE_COLON) and _is_digit(points, end + 1) and _is_digit(points, end + 2):
        end += 3
    if end < len(points) and points[end] in (_STOP, _COMMA) and _is_digit(points, end + 1):
        part = end + 1
        while part < end + 4 and _is_digit(points, part):
            part += 1
        end = end if _is_digit(points, part) else part
    return end


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _time_start(points, colon):  # type: ignore[no-untyped-def]  # compiled
    """Return the start of a time, before its hour and before its date (2024-05-01, 2024/5/1)."""
    start = colon - 1
    while _is_digit(points, start - 1):
        start -= 1
    place = start - 1
    if place < 0 or points[place] != _SPACE:
        return start
    marks = 0
    digits = 0
    place -= 1
    while place >= 0 and digits <= 4:
        if _is_digit(points, place):
            digits += 1
        elif digits and points[place] in (_DASH, _SLASH, _STOP):
            marks += 1
            digits = 0
        else:
            break
        place -= 1
    return place + 1 if marks == 2 and digits == 4 else start


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _cue_start(points, start):  # type: ignore[no-untyped-def]  # compiled
    """Return the start of a subtitle cue: its number if that is alone in the line above, or else its times."""
    place = start - 1
    if place < 0 or points[place] != _NEWLINE:
        return start
    place -= 1
    if place >= 0 and points[place] == _RETURN:
        place -= 1
    first = place
    while _is_digit(points, place):
        place -= 1
    alone = place < first and (place < 0 or points[place] == _NEWLINE)
    return place + 1 if alone else start


@compiled("u4[::1](u4[::1], i8)")
def _blank_timestamps(points, colon):  # type: ignore[no-untyped-def]  # compiled
    while colon >= 0:
        start, end = _time_start(points, colon), _time_end(points, colon)
        arrow = end + 3 < len(points) and points[end + 1] == _DASH and points[end + 3] == _GREATER
        points[_cue_start(points, start) if arrow else start : end] = IGNORED_POINT
        colon = _find_time(points, end)
    return points
