"""Initials that follow the phrase: 重庆 reads c q, 重要 z y.

The plain letters read a character alike everywhere, which is what copies are compared by; this is for callers who want
the true reading. The longest phrase of pypinyin's dictionary that begins at a letter gives its readings; elsewhere the
plain letter stands. The phrases are read from the installed package at first use (about half a second).
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.initials.initial_readings import phrase_readings
from fingerprinter.letters import Letters
from fingerprinter.normalize.character_table import NO_LETTER, character_table, code_of_initial
from fingerprinter.normalize.code_points import code_points
from fingerprinter.normalize.read_letters import read_letters

_POINT_BITS = 21  # a code point has at most so many
_SPREAD = 0x9E3779B97F4A7C15
_ROOT = 0


@dataclass(frozen=True, slots=True, eq=False)
class PhraseTree:
    """Trie of phrases in a hash table with open addressing.

    keys: u64[2**k], (state << 21 | code point) + 1, 0 where free; states: i32[2**k], the state that it leads to.
    offsets: i64[states], where the codes of the phrase that ends in a state begin in `codes`, -1 where none ends.
    """

    keys: NDArray[np.uint64]
    states: NDArray[np.int32]
    offsets: NDArray[np.int64]
    codes: NDArray[np.uint8]


def true_initials(text: str) -> Letters:
    """The letters of a text with the initials that its phrases give; places and other letters as in `read_letters`."""
    letters = read_letters(text)
    points = code_points(text)
    tree = phrase_tree()
    codes = _follow_phrases(points[letters.starts], letters.codes, tree.keys, tree.states, tree.offsets, tree.codes)
    return replace(letters, codes=codes)


@cache
def phrase_tree() -> PhraseTree:
    """The trie of all phrases, built once."""
    table = character_table().codes
    following: dict[int, int] = {}
    offsets = [-1]
    codes = bytearray()
    for phrase, initials in phrase_readings():
        # Phrases of two clauses have a comma, which is no letter.
        spoken = [
            (ord(c), code_of_initial(i)) for c, i in zip(phrase, initials, strict=True) if table[ord(c)] != NO_LETTER
        ]
        state = _ROOT
        for point, _ in spoken:
            state = following.setdefault(state << _POINT_BITS | point, len(offsets))
            if state == len(offsets):
                offsets.append(-1)
        offsets[state] = len(codes)
        codes.extend(code for _, code in spoken)
    keys, states = _hash_table(
        np.fromiter(following.keys(), np.uint64, len(following)),
        np.fromiter(following.values(), np.int32, len(following)),
        1 << (2 * len(following)).bit_length(),
    )
    return PhraseTree(keys, states, np.array(offsets, np.int64), np.frombuffer(bytes(codes), np.uint8))


@compiled("u8(u8, i8)")
def _slot(key: np.uint64, size: int) -> np.uint64:
    return ((key * np.uint64(_SPREAD)) >> np.uint64(32)) & np.uint64(size - 1)


@compiled("Tuple((u8[::1], i4[::1]))(u8[::1], i4[::1], i8)")
def _hash_table(
    wanted: NDArray[np.uint64], leads: NDArray[np.int32], size: int
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The hash table, its size a power of two above the number of keys."""
    keys = np.zeros(size, np.uint64)
    states = np.zeros(size, np.int32)
    for place in range(len(wanted)):
        key = wanted[place] + np.uint64(1)
        slot = _slot(key, size)
        while keys[slot] != 0:
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        keys[slot] = key
        states[slot] = leads[place]
    return keys, states


@compiled("i8(i8, u4, u8[::1], i4[::1])")
def _step(state: int, point: np.uint32, keys: NDArray[np.uint64], states: NDArray[np.int32]) -> int:
    """The state after one more character, -1 where no phrase goes on so."""
    key = ((np.uint64(state) << np.uint64(_POINT_BITS)) | np.uint64(point)) + np.uint64(1)
    slot = _slot(key, len(keys))
    while keys[slot] != 0:
        if keys[slot] == key:
            return int(states[slot])
        slot = (slot + np.uint64(1)) & np.uint64(len(keys) - 1)
    return -1


@compiled(
    "u1[::1](u4[::1], Array(u1, 1, 'C', readonly=True), u8[::1], i4[::1], i8[::1], Array(u1, 1, 'C', readonly=True))"
)
def _follow_phrases(
    points: NDArray[np.uint32],
    plain: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    states: NDArray[np.int32],
    offsets: NDArray[np.int64],
    phrase_codes: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """The plain codes, with those of the longest phrase that begins at each place not yet covered put over them."""
    codes = plain.copy()
    place = 0
    while place < len(points):
        state = _ROOT
        longest = 0
        found = np.int64(-1)
        end = place
        while end < len(points):
            state = _step(state, points[end], keys, states)
            if state < 0:
                break
            end += 1
            if offsets[state] >= 0:
                longest, found = end - place, offsets[state]
        for step in range(longest):
            codes[place + step] = phrase_codes[found + step]
        place += max(1, longest)
    return codes
