"""Prove in one pass that a page has no disguised letters and no stretch that was changed at a steady pace.

Most pages have neither. The pass finds for each pace the segment whose adjacent characters fit worst (Kadane's
algorithm), for both clocks and both widths side by side in one 64-bit word. `regular_changes` looks closely only at
what is left.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_statistics import (
    LEAST_STEPS,
    MOST_STEPS,
    NATS_PER_STEP,
    PLANE,
    load_adjacency,
    pair_slot,
)
from matcher.retrieval.regular_changes import (
    FIRST_HAN,
    GATE_SHARE,
    MIN_INSIDE_NATS,
    MIN_LEFT_OUT_NATS,
    MIN_RECURRENCES,
    RECURRENCE_PERIODS,
    list_patterns,
)

_FIRST_PERIOD, _PERIODS = 2, 8  # periods of the patterns: 2 to 9
_LANES, _LANE_BITS = 4, 16  # letters left out by both clocks, letters put in or replaced by both clocks
_HIGH, _LANE_MASK = 0x8000, 0xFFFF
_BIAS = 128  # added to the steps of a lane, so that they are not negative
_ALL_HIGH, _ALL_BIAS, _SHIFT = np.uint64(0x8000800080008000), np.uint64(0x0080008000800080), np.uint64(_LANE_BITS - 1)
_PROVING_RECURRENCES = MIN_RECURRENCES - 2  # of one character, a period apart, that the pass looks for
_LAST_HAN = 0x9FFF
_MIN_ODD = 6  # characters that are neither Han characters nor usual marks


class ScreenedPage(NamedTuple):
    """What a page may be. Nothing is missing that `regular_changes` would find.

    odd: whether enough characters are neither Han characters, digits nor usual marks. segments: i64[k, 4], clock,
    period, width and phase of the paces that may occur. Clock 0 counts Han characters, 1 all characters. recurs:
    whether one character may stand in every period. han: u32[n], the Han characters of the page's letters. letters,
    places: i64[n], their letters and code points. steps: i16[n], how well the next one fits behind each.
    """

    odd: bool
    segments: NDArray[np.int64]
    recurs: bool
    han: NDArray[np.uint32]
    letters: NDArray[np.int64]
    places: NDArray[np.int64]
    steps: NDArray[np.int16]


def screen_page(points: NDArray[np.uint32], starts: NDArray[np.uint32], usual: NDArray[np.bool_]) -> ScreenedPage:
    """Return what a page may be. points: its code points. starts: of its letters. usual: marks that text has anyway."""
    room, used = _lane_limits()
    odd, recurs, *arrays = _screen(points, starts, usual, room, used, _word_edges(), load_adjacency().pairs)
    segments, han, letters, places, steps = arrays
    return ScreenedPage(odd, segments, recurs, han, letters, places, steps)


@cache
def _word_edges() -> NDArray[np.int8]:
    """Return i8[65536, 2]: how well a character ends and begins words, side by side in memory."""
    adjacency = load_adjacency()
    return np.ascontiguousarray(np.stack((adjacency.ends, adjacency.starts), axis=1))


@cache
def _lane_limits() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return for each period what sets the highest bit of a lane at its limit, and the lanes that are in use."""
    room, used = np.zeros(_PERIODS, np.uint64), np.zeros(_PERIODS, np.uint64)
    for period, width in list_patterns().tolist():
        nats = MIN_INSIDE_NATS if width else MIN_LEFT_OUT_NATS[period]
        for clock, share in enumerate((1.0, GATE_SHARE)):
            lane = (2 if width else 0) + clock
            limit = int(nats * share / NATS_PER_STEP) - 1  # a step less, as the close look adds floats
            room[period - _FIRST_PERIOD] |= np.uint64((_HIGH - limit) << (lane * _LANE_BITS))
            used[period - _FIRST_PERIOD] |= np.uint64(_LANE_MASK << (lane * _LANE_BITS))
    return room, used


@compiled("i2[::1](u4[::1], i1[:,::1], i1[::1])")
def _neighbour_steps(han, edges, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return how well the next character fits behind each, in steps of `NATS_PER_STEP`."""
    steps = np.zeros(len(han), np.int16)
    for number in range(len(han) - 1):
        first, second = han[number], han[number + 1]
        if first < PLANE and second < PLANE:
            inside = np.int64(pairs[pair_slot(first, second)])
            between = np.int64(edges[first, 0]) + np.int64(edges[second, 1])
            steps[number] = min(max(between, inside, np.int64(LEAST_STEPS)), np.int64(MOST_STEPS))
    return steps


@compiled("u8[::1](i2[::1], i8[::1], i8)")
def _pack_lanes(steps, places, size):  # type: ignore[no-untyped-def]  # compiled
    """Return for each time of both clocks how badly the characters there fit, as four lanes. size: the last time."""
    by_letters, by_characters = np.full(size + 1, _BIAS, np.int16), np.full(size + 1, _BIAS, np.int16)
    for number in range(len(steps) - 1):
        by_letters[number] = _BIAS - steps[number]
        place = places[number]
        by_characters[place] = _BIAS - steps[number] if places[number + 1] - place == 1 else _BIAS
    lanes = np.empty(size, np.uint64)
    for time in range(size):
        first, second = np.int64(by_letters[time]), np.int64(by_characters[time])
        third = max(first + np.int64(by_letters[time + 1]) - _BIAS, np.int64(0))
        fourth = max(second + np.int64(by_characters[time + 1]) - _BIAS, np.int64(0))
        lanes[time] = np.uint64(first | second << 16 | third << 32 | fourth << 48)
    return lanes


@compiled("i8[:,::1](u8[::1], u8[::1], u8[::1])")
def _find_misfits(lanes, room, used):  # type: ignore[no-untyped-def]  # compiled
    """Return clock, period, width and phase of each pace that has a segment beyond its limit."""
    running = np.zeros((16, _PERIODS), np.uint64)
    phases = np.zeros((_PERIODS, _LANES), np.int64)  # a bit for each phase
    for time in range(len(lanes)):
        now = time & 15
        beyond = np.uint64(0)
        for pace in range(_PERIODS):
            before = running[(time - pace - _FIRST_PERIOD) & 15, pace]
            value = ((before + (lanes[time] & used[pace])) | _ALL_HIGH) - _ALL_BIAS
            positive = value & _ALL_HIGH
            value &= positive - (positive >> _SHIFT)
            beyond |= value + room[pace]
            running[now, pace] = value
        if not beyond & _ALL_HIGH:
            continue
        for pace in range(_PERIODS):
            above = (running[now, pace] + room[pace]) & _ALL_HIGH
            if not above:
                continue
            running[now, pace] &= ~(above - (above >> _SHIFT))
            for lane in range(_LANES):
                here = np.int64(above >> np.uint64(lane * _LANE_BITS + _LANE_BITS - 1)) & 1
                phases[pace, lane] |= here << (time % (pace + _FIRST_PERIOD))
    rows = np.empty((_PERIODS * (_PERIODS + _FIRST_PERIOD) * _LANES, 4), np.int64)
    count = 0
    for lane in range(_LANES):
        for pace in range(_PERIODS):
            for phase in range(pace + _FIRST_PERIOD):
                if phases[pace, lane] >> phase & 1:
                    rows[count, 0], rows[count, 1] = lane & 1, pace + _FIRST_PERIOD
                    rows[count, 2], rows[count, 3] = lane >> 1, phase
                    count += 1
    return rows[:count].copy()


@compiled("b1(Array(u4, 1, 'C', readonly=True))")
def _may_recur(points):  # type: ignore[no-untyped-def]  # compiled
    """Whether a Han character may stand in every period of a stretch."""
    for period in RECURRENCE_PERIODS:
        last = (_PROVING_RECURRENCES - 1) * period
        for place in range(len(points) - last):
            character = points[place]
            if character != points[place + last] or character < FIRST_HAN:
                continue
            same = True
            for step in range(period, last, period):
                same = same and points[place + step] == character
            if same:
                return True
    return False


@compiled(
    "Tuple((b1, b1, i8[:,::1], u4[::1], i8[::1], i8[::1], i2[::1]))(Array(u4, 1, 'C', readonly=True), "
    "Array(u4, 1, 'C', readonly=True), b1[::1], u8[::1], u8[::1], i1[:,::1], i1[::1])"
)
def _screen(points, starts, usual, room, used, edges, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return the columns of `ScreenedPage`."""
    odd = 0
    for point in points:
        odd += (point < FIRST_HAN or point > _LAST_HAN) and not usual[point]
    han, count = np.empty(len(starts), np.uint32), 0
    letters, places = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    for letter, start in enumerate(starts):
        han[count], letters[count], places[count] = points[start], letter, start
        count += points[start] >= FIRST_HAN
    han, letters, places = han[:count], letters[:count], places[:count]
    steps = _neighbour_steps(han, edges, pairs)
    segments = _find_misfits(_pack_lanes(steps, places, len(points)), room, used)
    recurs = _may_recur(han) or _may_recur(points)
    return odd >= _MIN_ODD, recurs, segments, han, letters, places, steps
