"""Find stretches that were changed at a steady pace: a character put in, replaced or left out after every few.

Such a change breaks the adjacent characters at one place of each period. There they stand side by side as by chance,
and elsewhere as in text (`fingerprinter.normalize.character_statistics`). Both are compared by Welch's z.
"""

from enum import IntEnum
from functools import cache
from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_statistics import NATS_PER_STEP, adjacency_nats, load_adjacency

FIRST_HAN = 0x3400
_INTERVALS = range(2, 7)  # unchanged characters between two changes
_MIN_INTERVAL = 2
_LEFT_INTERVALS = range(2, 6)  # the same where characters were left out
_MAX_WIDTH = 3  # characters put in at a time
# Standard errors between broken and unbroken neighbours, from which a stretch may be changed.
MIN_Z = 3.0
# The same between neighbours across a change and broken ones: from the first on it may be put in, up to the second it
# may be replaced.
_Z_SLACK = 1.0  # of z that is estimated
_MIN_JOINED_Z, _MAX_REPLACED_Z = 1.0, 2.5
MIN_RECURRENCES = 7  # of one character, a period apart, from which it is no chance
RECURRENCE_PERIODS = tuple(range(3, 8))
# Nats by which the broken neighbours of a stretch favour chance over text: of one where letters were left out, by the
# letters between two changes, and of one where they were put in or replaced. One page of prose in eight has as many,
# most of them where every few letters were left out: most words have two, so that text alternates by itself.
MIN_LEFT_OUT_NATS = (0.0, 0.0, 12.0, 8.0, 7.5, 8.0)
MIN_INSIDE_NATS, _MIN_REPLACED_NATS = 7.0, 10.0
# The same of a stretch where every third letter may be left out, and all neighbours fit badly, as in classical prose.
_MIN_ALIKE_Z, _MIN_ALIKE_NATS = 0.8, 16.0
_MIN_CERTAIN_Z, _MIN_CERTAIN_NATS = 5.0, 18.0  # of a change that one page in a hundred has by chance
GATE_SHARE = 0.9  # of these nats, from which a segment is looked at closely
_MIN_BROKEN, _MIN_UNBROKEN, _MIN_ACROSS = 8, 4, 4  # neighbours of a stretch


class ChangeKind(IntEnum):
    """How a stretch was changed."""

    PUT_IN = 0
    REPLACED = 1
    LEFT_OUT = 2


class RegularChange(NamedTuple):
    """A stretch of letters, ends exclusive, that was changed at a steady pace.

    period: places from one change to the next, counted by the clock that found it. phase: the place of the last
    unchanged letter before a change. width: letters put in or replaced at a time. z: strength of the evidence. nats: by
    which its broken neighbours favour chance over text, 0 where one character recurs.
    """

    kind: ChangeKind
    period: int
    phase: int
    width: int
    begin: int
    end: int
    z: float
    nats: float = 0.0

    @property
    def certain(self) -> bool:
        """Whether the change is beyond chance."""
        return self.z >= _MIN_CERTAIN_Z and (self.kind is not ChangeKind.LEFT_OUT or self.nats >= _MIN_CERTAIN_NATS)


def find_regular_changes(
    points: NDArray[np.uint32],
    clock: NDArray[np.int64],
    steps: NDArray[np.int16],
    segments: NDArray[np.int64],
    *,
    recurs: bool,
) -> list[RegularChange]:
    """Return the stretches of a text that may be changed at a steady pace, strongest first.

    points: u32[n], the Han characters of the text. clock: i64[n], ascending, by which the pace is counted: as
    characters alone, or with marks between them. steps, recurs: as in `matcher.retrieval.change_screen.ScreenedPage`.
    segments: i64[k, 3], period, width and phase of its segments by this clock.
    """
    changes = []
    rows = _find_stretches(points, clock, steps, segments, *load_adjacency()).tolist() if len(segments) else []
    for period, phase, width, begin, end, z, joined, nats in rows:
        place = (int(period), int(phase), int(width), int(begin), int(end))
        if not width:
            changes.append(RegularChange(ChangeKind.LEFT_OUT, *place, z, nats))
        if width and joined >= _MIN_JOINED_Z:
            changes.append(RegularChange(ChangeKind.PUT_IN, *place, hypot(z, joined), nats))
        if width == 1 and joined < _MAX_REPLACED_Z and nats >= _MIN_REPLACED_NATS:
            changes.append(RegularChange(ChangeKind.REPLACED, *place, z, nats))
    for period, phase, begin, end, recurrences in _find_recurrences(points, clock).tolist() if recurs else ():
        stretch = (period, phase, 1, begin, end, float(recurrences))
        changes += [RegularChange(ChangeKind.PUT_IN, *stretch), RegularChange(ChangeKind.REPLACED, *stretch)]
    return sorted(changes, key=lambda change: -change.z)


@cache
def list_patterns() -> NDArray[np.int64]:
    """Return i64[k, 2]: periods, and the least letters put in or replaced in each. 0 stands for letters left out."""
    left_out = [(interval, 0) for interval in _LEFT_INTERVALS]
    inside = [(period, 1) for period in range(_INTERVALS[0] + 1, _INTERVALS[-1] + _MAX_WIDTH + 1)]
    return np.array([*left_out, *inside], np.int64)


@compiled("f4[::1](i2[::1], i8[::1])")
def _neighbour_nats(steps, clock):  # type: ignore[no-untyped-def]  # compiled
    """Return for each letter how well the next one fits behind it, 0 where the clock has others between."""
    nats = np.zeros(len(steps), np.float32)
    for place in range(len(steps) - 1):
        if clock[place + 1] - clock[place] == 1:
            nats[place] = steps[place] * NATS_PER_STEP
    return nats


@compiled("f8(f8, i8, f8, i8, f8)")
def _welch_z(first_sum, first_count, second_sum, second_count, variance):  # type: ignore[no-untyped-def]  # compiled
    """Return by how many standard errors the first mean lies above the second."""
    error = np.sqrt(variance * (1.0 / first_count + 1.0 / second_count)) + 1e-9
    return (first_sum / first_count - second_sum / second_count) / error


@compiled("f8(u4[::1], i8[::1], i8, i8, i8, i8, i8, f8, i8, f8, i1[::1], i1[::1], i1[::1])")
def _joined_z(points, clock, period, width, phase, begin, end, broken, count, variance, ends, starts, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return z of the neighbours across the changes of a stretch, 0 where it has too few. broken, count: its sum."""
    across, across_count = 0.0, 0
    for place in range(begin, min(end, len(points) - width - 1)):
        if clock[place] % period != phase or clock[place + 1] - clock[place] != 1:
            continue
        behind = place + width + 1
        if clock[behind] - clock[place] == width + 1:
            across += adjacency_nats(points[place], points[behind], ends, starts, pairs)
            across_count += 1
    return _welch_z(across, across_count, broken, count, variance) if across_count >= _MIN_ACROSS else 0.0


@compiled("Tuple((f8[::1], i8[::1], f8))(i8[::1], f4[::1], i8, i8, i8, i8)")
def _sum_by_distance(clock, beside, period, phase, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Return the nats of a stretch by the distance behind the last unchanged letter, their counts, and all squares."""
    sums, counts, squares = np.zeros(period, np.float64), np.zeros(period, np.int64), 0.0
    last = min(end, len(clock) - 1)
    distance = (clock[begin] - phase) % period
    for place in range(begin, last):
        step = clock[place + 1] - clock[place]
        if step == 1:
            nats = beside[place]
            squares += nats * nats
            sums[distance] += nats
            counts[distance] += 1
        distance += step
        if distance >= period:
            distance = distance - period if distance < 2 * period else distance % period
    return sums, counts, squares


@compiled("i8[::1](i8[::1])")
def _places_by_clock(clock):  # type: ignore[no-untyped-def]  # compiled
    """Return the letter at each time of the clock, -1 where there is none."""
    places = np.full(clock[-1] + 1, -1, np.int64)
    for place in range(len(clock)):
        places[clock[place]] = place
    return places


@compiled("Tuple((f4, i8, i8, i8))(f4[::1], i8[::1], i8, i8, i8)")
def _worst_segment(sums, places, period, phase, width):  # type: ignore[no-untyped-def]  # compiled
    """Return nats, begin, end and broken neighbours of the segment whose broken ones fit worst (Kadane's algorithm).

    sums: f4[n + 1], the nats of all neighbours before each letter.
    """
    last = len(sums) - 1
    running = best = np.float32(0.0)
    since = begin = end = changes = most_changes = 0
    for time in range(phase, len(places), period):
        place = places[time]
        if place < 0:
            continue
        if running <= 0:
            running = np.float32(0.0)
            since, changes = place, 0
        behind = min(last, place + width + 1)
        running += sums[place] - sums[behind]
        changes += 1
        if running > best:
            best, begin, end, most_changes = running, since, behind, changes
    return best, begin, min(last, end + 1), most_changes * (width + 1)


@compiled("b1(f4[::1], f4[::1], f4, i8, i8, i8)")
def _may_differ(sums, squares, nats, broken_count, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Whether z of a segment may suffice, from sums alone: it is exact where the clock counts letters."""
    count = end - begin
    unbroken_count = max(1, count - broken_count)
    total = sums[end] - sums[begin]
    variance = (squares[end] - squares[begin]) / count - (total / count) ** 2
    return _welch_z(total + nats, unbroken_count, -nats, broken_count, variance) >= MIN_Z - _Z_SLACK


@compiled("f8[:,::1](u4[::1], i8[::1], i2[::1], i8[:,::1], i1[::1], i1[::1], i1[::1])")
def _find_stretches(points, clock, steps, segments, ends, starts, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return period, phase, width, begin, end and both z of stretches, one at most for each phase and width."""
    count = len(points)
    rows = np.empty((_MAX_WIDTH * len(segments), 8), np.float64)
    hits = 0
    if count < _MIN_BROKEN:
        return rows[:0].copy()
    beside = _neighbour_nats(steps, clock)
    sums, squares = np.zeros(count + 1, np.float32), np.zeros(count + 1, np.float32)
    for place in range(count):
        sums[place + 1] = sums[place] + beside[place]
        squares[place + 1] = squares[place] + beside[place] * beside[place]
    places = _places_by_clock(clock)
    for period, least, phase in segments:
        most = min(_MAX_WIDTH, period - _MIN_INTERVAL) if least else 0
        min_nats = MIN_INSIDE_NATS if least else MIN_LEFT_OUT_NATS[period]
        nats, begin, end, broken = _worst_segment(sums, places, period, phase, least)
        alike = period == _MIN_INTERVAL and nats >= _MIN_ALIKE_NATS
        differs = most > 1 or alike or _may_differ(sums, squares, nats, broken, begin, end)
        if nats < min_nats or not differs:
            continue
        by_distance, counts, all_squares = _sum_by_distance(clock, beside, period, phase, begin, end)
        total, total_count = by_distance.sum(), counts.sum()
        variance = all_squares / total_count - (total / total_count) ** 2
        for width in range(least, most + 1):
            broken_nats, broken_count = by_distance[: width + 1].sum(), counts[: width + 1].sum()
            if broken_count < _MIN_BROKEN or total_count - broken_count < _MIN_UNBROKEN:
                continue
            z = _welch_z(total - broken_nats, total_count - broken_count, broken_nats, broken_count, variance)
            if z < (_MIN_ALIKE_Z if period == _MIN_INTERVAL and nats >= _MIN_ALIKE_NATS else MIN_Z):
                continue
            joined = 0.0
            if width:
                joined = _joined_z(
                    points, clock, period, width, phase, begin, end, broken_nats, broken_count, variance,
                    ends, starts, pairs,
                )  # fmt: skip
            if width < 2 or joined >= _MIN_JOINED_Z:
                rows[hits, 0], rows[hits, 1], rows[hits, 2] = period, phase, width
                rows[hits, 3], rows[hits, 4] = begin, end
                rows[hits, 5], rows[hits, 6], rows[hits, 7] = z, joined, nats
                hits += 1
    return rows[:hits].copy()


@compiled("i8[:,::1](u4[::1], i8[::1])")
def _find_recurrences(points, clock):  # type: ignore[no-untyped-def]  # compiled
    """Return period, phase, begin, end and recurrences where one character stands in every period: the most of each."""
    count = len(points)
    rows = np.empty((len(RECURRENCE_PERIODS), 5), np.int64)
    hits = 0
    if count == 0:
        return rows[:0].copy()
    places = _places_by_clock(clock)
    lengths = np.empty(count, np.int64)
    for period in RECURRENCE_PERIODS:
        best = last = 0
        for place in range(count):
            time = clock[place] - period
            before = places[time] if time >= 0 else -1
            lengths[place] = lengths[before] + 1 if before >= 0 and points[before] == points[place] else 1
            if lengths[place] > best:
                best, last = lengths[place], place
        if best >= MIN_RECURRENCES:
            rows[hits, 0], rows[hits, 1] = period, (clock[last] - 1) % period
            rows[hits, 2], rows[hits, 3] = places[clock[last] - period * (best - 1)], last + 1
            rows[hits, 4] = best
            hits += 1
    return rows[:hits].copy()
