"""Pinyin written in place of characters: 我们zhong国.

A run of Latin letters that stands between two Han letters and can be cut into whole syllables is read as those
syllables. Spaces, marks and invisible characters inside or around it make no difference, so that a word which happens
to be pinyin (can, debian) is read the same way in every copy of its sentence.
"""

from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprinter.letters import DIGIT_0, INITIALS, LATIN_A, NO_INITIAL

LONGEST_RUN = 24  # Latin letters: four to eight syllables
LONGEST_SYLLABLE = 6  # zhuang

_Letters = tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]


def read_pinyin_runs(
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    syllables: tuple[str, ...],
) -> _Letters:
    """The letters with each run of pinyin replaced by one letter a syllable, which spans all of the syllable."""
    read = (np.empty_like(codes), np.empty_like(starts), np.empty_like(ends))
    count = _replace_runs(codes, starts, ends, _syllable_tree(syllables), _initial_codes(), *read)
    return read[0][:count], read[1][:count], read[2][:count]


@cache
def _syllable_tree(syllables: tuple[str, ...]) -> NDArray[np.int16]:
    """Trie, i16[states, 27]: the next state by letter (0: none); column 26 is 1 where a syllable ends."""
    rows = [[0] * 27]
    for syllable in syllables:
        state = 0
        for letter in syllable:
            column = ord(letter) - ord("a")
            if not rows[state][column]:
                rows.append([0] * 27)
                rows[state][column] = len(rows) - 1
            state = rows[state][column]
        rows[state][26] = 1
    return np.array(rows, np.int16)


@cache
def _initial_codes() -> NDArray[np.uint8]:
    """u8[26]: the code of a syllable by its first letter."""
    places = (INITIALS.find(chr(ord("a") + n)) for n in range(26))
    return np.array([place if place >= 0 else NO_INITIAL for place in places], np.uint8)


@njit("i8(u1[::1], i8, i8, i2[:,::1], i1[::1], i1[::1])", cache=True)
def _cut(
    codes: NDArray[np.uint8],
    begin: int,
    end: int,
    tree: NDArray[np.int16],
    fewest: NDArray[np.int8],
    first: NDArray[np.int8],
) -> int:
    """Cut [begin, end) into the fewest syllables, the earlier ones longest; how many, 0 where it cannot be done.

    first[i] becomes the letters of the syllable that starts at begin + i.
    """
    length = end - begin
    fewest[length] = 0
    for place in range(length - 1, -1, -1):
        fewest[place] = 127
        state = 0
        for step in range(min(LONGEST_SYLLABLE, length - place)):
            state = tree[state, codes[begin + place + step] - LATIN_A]
            if state == 0:
                break
            rest = fewest[place + step + 1]
            if tree[state, 26] and rest < 127 and rest + 1 <= fewest[place]:
                fewest[place] = rest + 1
                first[place] = step + 1
    return 0 if fewest[0] == 127 else fewest[0]


@njit("i8(u1[::1], u4[::1], u4[::1], i2[:,::1], u1[::1], u1[::1], u4[::1], u4[::1])", cache=True)
def _replace_runs(
    codes: NDArray[np.uint8],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    tree: NDArray[np.int16],
    initials: NDArray[np.uint8],
    out_codes: NDArray[np.uint8],
    out_starts: NDArray[np.uint32],
    out_ends: NDArray[np.uint32],
) -> int:
    """Copy the letters, runs of pinyin replaced; how many letters were written."""
    fewest = np.empty(LONGEST_RUN + 1, np.int8)
    first = np.empty(LONGEST_RUN + 1, np.int8)
    count = len(codes)
    written = 0
    place = 0
    while place < count:
        code = codes[place]
        end = place + 1
        if LATIN_A <= code < DIGIT_0:
            while end < count and LATIN_A <= codes[end] < DIGIT_0:
                end += 1
            between = place > 0 and end < count and codes[place - 1] < LATIN_A and codes[end] < LATIN_A
            if between and end - place <= LONGEST_RUN and _cut(codes, place, end, tree, fewest, first) > 0:
                syllable = place
                while syllable < end:
                    width = first[syllable - place]
                    out_codes[written] = initials[codes[syllable] - LATIN_A]
                    out_starts[written] = starts[syllable]
                    out_ends[written] = ends[syllable + width - 1]
                    written += 1
                    syllable += width
                place = end
                continue
        for copied in range(place, end):
            out_codes[written] = codes[copied]
            out_starts[written] = starts[copied]
            out_ends[written] = ends[copied]
            written += 1
        place = end
    return written
