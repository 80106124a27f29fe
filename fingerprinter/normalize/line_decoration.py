"""Remove the decoration of lines and clauses: numbers, dates, timestamps, table cells, speakers' names.

Subtitles, chats, threads and tables put such a frame around copied clauses. The shape of a frame reveals it: the shape
of `12 | 2024-05-01 20:15 | ` is `0 | 0-0-0 0:0 | `. The same shape recurs around many clauses. Timestamps of subtitles,
lyrics and chats have known formats: [00:12.30], 00:01:02,345 --> 00:01:05,000 and the cue number above it, 20:15,
2024-05-01 20:15:33. Their digits are not text: a copy without them reads the same.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, IGNORED_POINT, LATIN_A, LETTER_CODES
from fingerprinter.compiled import compiled

_MIN_RECURRENCES = 4  # a shape that recurs so often is a frame ...
_MIN_CLAUSE_HAN, _MAX_CLAUSE_HAN = 4, 48  # ... if the median number of Han letters between occurrences is in this range
_MIN_DIGIT_GROUPS = 2  # digit groups of a frame inside a line: a number has one, a date has more
_MAX_HEADING_HAN = 8  # Han letters of a line that gives speaker and time (张三 发表于 2024-05-01 20:15) ...
_MAX_HEADING_POINTS = 48  # ... and its code points
_MAX_NAME_HAN = 6  # Han letters of a speaker's name before a colon or in a table cell
_UNITS = np.array([ord(unit) for unit in "年月日号时点分秒楼"], np.uint32)  # units that belong to the digit before them
_NEWLINE, _COLON, _WIDE_COLON, _LAST_ASCII = 10, ord(":"), ord("："), 0x7F
_SPACE, _BAR, _UNDERSCORE = ord(" "), ord("|"), ord("_")

_Points = NDArray[np.uint32]
_Codes = NDArray[np.uint8]
_POINTS, _CODES = "Array(u4, 1, 'C', readonly=True)", "Array(u1, 1, 'C', readonly=True)"


def remove_frames(points: _Points, codes: _Codes) -> _Points:
    """Replace the code points of frames by one without an initial.

    points: u32[n], returned unchanged if there is no frame. codes: u8[0x110000], `CharacterTable.codes`.
    """
    pieces = _find_pieces(points, codes, _UNITS)
    headings = _find_headings(points, codes)
    frames = pieces[_has_recurring_shape(pieces, points, codes)] if len(pieces) >= _MIN_RECURRENCES else pieces[:0]
    headings = headings if len(headings) >= _MIN_RECURRENCES else headings[:0]
    return _blank_frames(points.copy(), codes, frames, headings) if len(frames) or len(headings) else points


def _has_recurring_shape(pieces: NDArray[np.int64], points: _Points, codes: _Codes) -> NDArray[np.bool_]:
    """Return bool[n]: which pieces have a shape that recurs around many clauses."""
    recurring = np.zeros(len(pieces), np.bool_)
    by_shape = np.argsort(pieces[:, 2], kind="stable")  # groups equal shapes, in text order
    _, firsts, counts = np.unique(pieces[by_shape, 2], return_index=True, return_counts=True)
    often = counts >= _MIN_RECURRENCES
    if not often.any():
        return recurring
    han = np.cumsum(codes[points] < LATIN_A)
    for first, count in zip(firsts[often], counts[often], strict=True):
        same = by_shape[first : first + count]
        recurring[same] = _MIN_CLAUSE_HAN <= np.median(np.diff(han[pieces[same, 0]])) <= _MAX_CLAUSE_HAN
    return recurring


@compiled(f"b1({_CODES}, u4)")
def _is_digit(codes, point):  # type: ignore[no-untyped-def]  # compiled
    return DIGIT_0 <= codes[point] < LETTER_CODES


@compiled(f"b1({_POINTS}, {_CODES}, {_POINTS}, i8)")
def _is_frame_place(points, codes, units, place):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether a position is neither a newline nor a letter of a clause."""
    if points[place] == _NEWLINE:
        return False
    if codes[points[place]] >= LATIN_A:
        return True
    for unit in units:  # noqa: SIM110  compiled
        if unit == points[place] and place > 0 and _is_digit(codes, points[place - 1]):
            return True
    return False


@compiled(f"UniTuple(i8, 2)({_POINTS}, {_CODES})")
def _frame_shape(piece, codes):  # type: ignore[no-untyped-def]  # compiled
    """Return a hash of a piece's shape and its number of digit groups. Each group counts as one digit."""
    shape = before = np.int64(0)
    groups = 0
    for each in piece:
        point = np.int64(each)
        if _is_digit(codes, each):
            groups += before != ord("0")
            point = np.int64(ord("0"))
        elif point > _LAST_ASCII and codes[each] >= LATIN_A:
            continue  # a clause's punctuation does not belong to its frame
        if point != before:
            shape = (shape ^ point) * np.int64(0x100000001B3)
            before = point
    return shape, groups


@compiled(f"i8[:,::1]({_POINTS}, {_CODES}, {_POINTS})")
def _find_pieces(points, codes, units):  # type: ignore[no-untyped-def]  # compiled
    """Find the pieces that hold digits between two clause letters or newlines: begin, end, shape."""
    pieces = np.empty((64, 3), np.int64)
    count = end = 0
    for place in range(len(points)):
        plain, wide = ord("0") <= points[place] <= ord("9"), ord("０") <= points[place] <= ord("９")
        if place < end or not (plain or wide):
            continue
        begin, before = place, end
        while begin > before and _is_frame_place(points, codes, units, begin - 1):
            begin -= 1
        end = place + 1
        while end < len(points) and _is_frame_place(points, codes, units, end):
            end += 1
        shape, groups = _frame_shape(points[begin:end], codes)
        opens = begin == 0 or points[begin - 1] == _NEWLINE
        closes = end == len(points) or points[end] == _NEWLINE
        least = 1 if opens or closes else _MIN_DIGIT_GROUPS
        marked = (opens or begin < place) and (closes or not _is_digit(codes, points[end - 1]))
        if groups < least or not marked:
            continue
        if count == len(pieces):
            larger = np.empty((2 * count, 3), np.int64)
            larger[:count] = pieces
            pieces = larger
        pieces[count, 0], pieces[count, 1], pieces[count, 2] = begin, end, shape * 4 + opens * 2 + closes
        count += 1
    return pieces[:count].copy()


@compiled(f"i8[:,::1]({_POINTS}, {_CODES})")
def _find_headings(points, codes):  # type: ignore[no-untyped-def]  # compiled
    """Find short lines that end with a time and precede a line that does not: begin, end."""
    headings = np.empty((len(points) // 6 + 1, 2), np.int64)
    count = begin = han = colon = 0
    pending = False  # whether the previous line ended with a time
    for place in range(len(points) + 1):
        if place < len(points) and points[place] != _NEWLINE:
            han += codes[points[place]] < LATIN_A
            if points[place] in (_COLON, _WIDE_COLON):
                colon = place
            continue
        timed = begin < colon < place - 2 and place - colon <= len("00:00:00") and _is_digit(codes, points[colon - 1])
        heads = (
            timed
            and 0 < han <= _MAX_HEADING_HAN
            and place - begin <= _MAX_HEADING_POINTS
            and _is_digit(codes, points[place - 1])
        )
        if heads and pending:
            count -= 1  # a list of times
        if heads:
            headings[count, 0], headings[count, 1] = begin, place
            count += 1
        pending = heads or (pending and place == begin)
        begin, han = place + 1, 0
    return headings[: count - pending].copy() if pending else headings[:count].copy()


@compiled(f"i8(u4[::1], {_CODES}, i8, i8)")
def _count_han(points, codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Count the Han letters in [begin, end)."""
    count = 0
    for place in range(begin, end):
        count += codes[points[place]] < LATIN_A
    return count


@compiled(f"i8(u4[::1], {_CODES}, i8)")
def _name_end(points, codes, begin):  # type: ignore[no-untyped-def]  # compiled
    """Return the end of the name that begins at `begin`: Han letters, or twice as many other letters, digits and _."""
    place, room = begin, 2 * _MAX_NAME_HAN
    while place < len(points) and room > 0:
        han = codes[points[place]] < LATIN_A
        if not han and codes[points[place]] >= LETTER_CODES and points[place] != _UNDERSCORE:
            break
        room -= 2 if han else 1
        place += 1
    return place


@compiled(f"i8(u4[::1], {_CODES}, i8, i8, b1)")
def _speaker_end(points, codes, end, line_end, in_cells):  # type: ignore[no-untyped-def]  # compiled
    """Return the end of a clause's leading speaker name, before a colon or in its own cell, or else `end`."""
    behind = _name_end(points, codes, end)
    after = behind
    while after < line_end and points[after] == _SPACE:
        after += 1
    if after >= line_end:
        return end
    if points[after] in (_COLON, _WIDE_COLON):
        return behind
    if (
        in_cells
        and points[after] == _BAR
        and _count_han(points, codes, after, line_end) > _count_han(points, codes, end, behind)
    ):
        return behind
    return end


@compiled(f"i8(u4[::1], {_CODES}, i8, i8)")
def _name_start(points, codes, begin, line_begin):  # type: ignore[no-untyped-def]  # compiled
    """Return the start of a line's leading name before its frame (张三 | 20:15 | …), or `begin` if there is none."""
    name = line_begin
    while name < begin and points[name] in (_SPACE, _BAR):
        name += 1
    after = _name_end(points, codes, name)
    while after < begin and points[after] == _SPACE:
        after += 1
    return name if after == begin else begin


@compiled(f"u4[::1](u4[::1], {_CODES}, i8[:,::1], i8[:,::1])")
def _blank_frames(points, codes, frames, headings):  # type: ignore[no-untyped-def]  # compiled
    for number in range(len(headings)):
        points[headings[number, 0] : headings[number, 1]] = IGNORED_POINT
    for number in range(len(frames)):
        begin, end = frames[number, 0], frames[number, 1]
        in_cells = False
        for place in range(begin, end):
            in_cells |= points[place] == _BAR
        line_begin, line_end = begin, end
        while line_begin > 0 and points[line_begin - 1] != _NEWLINE:
            line_begin -= 1
        while line_end < len(points) and points[line_end] != _NEWLINE:
            line_end += 1
        if line_begin == begin:
            points[end : _speaker_end(points, codes, end, line_end, in_cells)] = IGNORED_POINT
        else:
            name = _name_start(points, codes, begin, line_begin)
            if _count_han(points, codes, end, line_end) > _count_han(points, codes, name, begin):
                points[name:begin] = IGNORED_POINT
        for place in range(begin, end):
            if points[place] != _NEWLINE:
                points[place] = IGNORED_POINT
    return points


_RETURN = ord("\r")
_DASH, _GREATER, _STOP, _COMMA, _SLASH = ord("-"), ord(">"), ord("."), ord(","), ord("/")
_ZERO, _FIVE, _NINE = ord("0"), ord("5"), ord("9")


def remove_timestamps(points: _Points) -> _Points:
    """Replace the code points of timestamps by one without an initial.

    points: u32[n], returned unchanged if there are none.
    """
    times = _find_time(points, 0)
    return points if times < 0 else _blank_timestamps(points.copy(), times)


@compiled("b1(Array(u4, 1, 'C', readonly=True), i8)")
def _is_digit_point(points, place):  # type: ignore[no-untyped-def]  # compiled
    return 0 <= place < len(points) and _ZERO <= points[place] <= _NINE


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _find_time(points, begin):  # type: ignore[no-untyped-def]  # compiled
    """Return the next colon with an hour or minute before it and two digits behind it, or -1."""
    for place in range(max(1, begin), len(points) - 2):
        if points[place] not in (_COLON, _WIDE_COLON):
            continue
        minutes = (
            _is_digit_point(points, place + 2)
            and _ZERO <= points[place + 1] <= _FIVE
            and not _is_digit_point(points, place + 3)
        )
        hours = 0
        while hours < 4 and _is_digit_point(points, place - 1 - hours):
            hours += 1
        if minutes and 0 < hours <= 3:
            return place
    return -1


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _time_end(points, colon):  # type: ignore[no-untyped-def]  # compiled
    """Return the end of a time, behind its seconds and their fraction."""
    end = colon + 3
    colons = points[min(end, len(points) - 1)]
    if colons in (_COLON, _WIDE_COLON) and _is_digit_point(points, end + 1) and _is_digit_point(points, end + 2):
        end += 3
    if end < len(points) and points[end] in (_STOP, _COMMA) and _is_digit_point(points, end + 1):
        part = end + 1
        while part < end + 4 and _is_digit_point(points, part):
            part += 1
        end = end if _is_digit_point(points, part) else part
    return end


@compiled("i8(Array(u4, 1, 'C', readonly=True), i8)")
def _time_start(points, colon):  # type: ignore[no-untyped-def]  # compiled
    """Return the start of a time, before its hour and before its date (2024-05-01, 2024/5/1)."""
    start = colon - 1
    while _is_digit_point(points, start - 1):
        start -= 1
    place = start - 1
    if place < 0 or points[place] != _SPACE:
        return start
    marks = 0
    digits = 0
    place -= 1
    while place >= 0 and digits <= 4:
        if _is_digit_point(points, place):
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
    while _is_digit_point(points, place):
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
