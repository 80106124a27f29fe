"""Read stretches in Wade-Giles, Tongyong pinyin or double pinyin, each syllable as its initial.

A stretch reveals its system: nearly all of its words are syllables of that system, and fewer are pinyin.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A, character_table
from fingerprinter.compiled import compiled
from fingerprinter.normalize.pinyin import initial_codes

_MIN_SYLLABLES = 12  # syllables of a stretch in Wade-Giles or Tongyong ...
_MIN_DOUBLE_SYLLABLES = 24  # ... or in double pinyin, which is weaker evidence
_MIN_SHARE = 0.92  # share of its words that the system spells ...
_MIN_SURPLUS = 0.1  # ... and the surplus of that share over the share that pinyin spells
_MAX_HAN_BETWEEN = 8  # Han letters between two words of a stretch
_MAX_LENGTH = 8  # letters and apostrophes of a syllable (ch'uang)
_SYSTEMS = 4  # pinyin, Wade-Giles, Tongyong, double pinyin
_APOSTROPHE, _END = 26, 27  # columns of the trie
_APOSTROPHES = np.array([ord(mark) for mark in "'’‘ʻʼ`´′＇"], np.uint32)
_VOWELS = "aeiouv"

_Letters = tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]


def _split(syllable: str) -> tuple[str, str]:
    """Split a syllable into its initial consonants and the rest."""
    width = next((place for place, letter in enumerate(syllable) if letter in _VOWELS), len(syllable))
    return syllable[:width], syllable[width:]


_WADE_GILES_CONSONANTS = {
    "b": "p", "p": "p'", "d": "t", "t": "t'", "g": "k", "k": "k'", "j": "ch", "q": "ch'", "x": "hs", "zh": "ch",
    "ch": "ch'", "r": "j", "z": "ts", "c": "ts'",
}  # fmt: skip
_WADE_GILES_VOWELS = {
    "ie": ("ieh",), "ian": ("ien",), "ong": ("ung",), "ue": ("veh", "ueh"), "ve": ("veh", "ueh"), "uo": ("o", "uo"),
    "iong": ("iung",), "ui": ("ui", "uei"), "e": ("e", "o"), "iu": ("iu",), "ei": ("ei",), "er": ("erh",),
}  # fmt: skip
_WADE_GILES_WHOLE = {
    "zi": ("tzu", "tzv", "tsu"), "ci": ("tz'u", "tz'v", "ts'u"), "si": ("ssu", "szu", "ssv"), "ri": ("jih",),
    "zhi": ("chih",), "chi": ("ch'ih",), "shi": ("shih",), "yi": ("i", "yi"), "ye": ("yeh",), "yan": ("yen",),
    "you": ("yu",), "yong": ("yung",), "yu": ("yv", "yu"), "yue": ("yveh", "yueh"), "yuan": ("yvan", "yuan"),
    "yun": ("yvn", "yun"), "wei": ("wei",), "er": ("erh",), "a": ("a",), "e": ("o", "e"), "tie": ("t'ieh", "t'oeh"),
    "die": ("tieh", "toeh"),
}  # fmt: skip


def _wade_giles(syllable: str) -> Iterator[str]:
    if syllable in _WADE_GILES_WHOLE:
        yield from _WADE_GILES_WHOLE[syllable]
        return
    begin, rest = _split(syllable)
    rounded = begin in ("j", "q", "x") and rest.startswith("u")
    for vowels in _WADE_GILES_VOWELS.get(rest, (rest,)):
        yield _WADE_GILES_CONSONANTS.get(begin, begin) + vowels
        if rounded:
            yield _WADE_GILES_CONSONANTS[begin] + "v" + vowels.removeprefix("v").removeprefix("u")


_TONGYONG_CONSONANTS = {"q": "c", "x": "s", "zh": "jh"}


def _tongyong(syllable: str) -> Iterator[str]:
    begin, rest = _split(syllable)
    if rest == "i" and begin in ("zh", "ch", "sh", "r", "z", "c", "s"):
        rest = "ih"
    if rest.startswith("u") and begin in ("j", "q", "x"):
        rest = f"y{rest}"
    if rest in ("eng", "en") and begin in ("f", "w"):
        yield f"{begin}{'ong' if rest == 'eng' else 'un' if begin == 'w' else 'en'}"
    yield _TONGYONG_CONSONANTS.get(begin, begin) + {"iu": "iou", "ui": "uei"}.get(rest, rest)
    yield _TONGYONG_CONSONANTS.get(begin, begin) + rest


_DOUBLE_PINYIN_INITIALS = {"v": "z", "i": "c", "u": "s"}


class _Trie(NamedTuple):
    """Hold a trie of the syllables of all systems.

    states: i16[n, 28], the next state by letter or apostrophe, 0 for none. ends: i8[n, 4], by system: the initial of
    the syllable that ends there, -1 for none.
    """

    states: NDArray[np.int16]
    ends: NDArray[np.int8]


@cache
def _trie() -> _Trie:
    spelled: dict[str, list[int]] = {}
    syllables = character_table().syllables
    # Several syllables may share a spelling (yu for yu and for you). Later initials overwrite earlier ones.
    for system, spell in enumerate((lambda syllable: (syllable,), _wade_giles, _tongyong)):
        for syllable in syllables:
            for written in spell(syllable):
                initials = spelled.setdefault(written, [-1] * _SYSTEMS)
                initials[system] = int(initial_codes()[ord(syllable[0]) - ord("a")])
    for first in "abcdefghijklmnopqrstuvwxyz":
        for second in "abcdefghijklmnopqrstuvwxyz":
            initials = spelled.setdefault(first + second, [-1] * _SYSTEMS)
            initials[3] = int(initial_codes()[ord(_DOUBLE_PINYIN_INITIALS.get(first, first)) - ord("a")])
    states, ends = [[0] * (_APOSTROPHE + 1)], [[-1] * _SYSTEMS]
    for written, initials in spelled.items():
        state = 0
        for letter in written:
            column = _APOSTROPHE if letter == "'" else ord(letter) - ord("a")
            if not states[state][column]:
                states.append([0] * (_APOSTROPHE + 1))
                ends.append([-1] * _SYSTEMS)
                states[state][column] = len(states) - 1
            state = states[state][column]
        ends[state] = initials
    return _Trie(np.array(states, np.int16), np.array(ends, np.int8))


def read_romanisations(
    points: NDArray[np.uint32], codes: NDArray[np.uint8], starts: NDArray[np.uint32], ends: NDArray[np.uint32]
) -> _Letters:
    """Replace each syllable of these systems by one letter, which spans the whole syllable.

    points: u32[m], of the text. codes: u8[n]. starts, ends: u32[n], as in `Initials`.
    """
    if not _has_short_words(codes, starts, ends):
        return codes, starts, ends
    words = _find_words(points, codes, starts, ends, _APOSTROPHES, *_trie())
    initials = _choose_initials(words)
    read = initials >= 0
    if not read.any():
        return codes, starts, ends
    codes, ends = codes.copy(), ends.copy()
    kept = np.ones(len(codes), np.bool_)
    for word, initial in zip(words[read].tolist(), initials[read].tolist(), strict=True):
        first, last = word[0], word[1]
        codes[first], ends[first] = initial, ends[last - 1]
        kept[first + 1 : last] = False
    return codes[kept], starts[kept], ends[kept]


@compiled("b1(u1[::1], u4[::1], u4[::1])")
def _has_short_words(codes, starts, ends):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether enough consecutive words are no longer than a syllable."""
    words = letters = 0
    for place in range(len(codes)):
        if not LATIN_A <= codes[place] < DIGIT_0:
            continue
        if letters and place and starts[place] == ends[place - 1]:
            letters += 1
            words = words if letters <= _MAX_LENGTH else 0
        else:
            letters = 1
            words += 1
        if words > 2 * _MIN_SYLLABLES:
            return True
    return words >= _MIN_SYLLABLES


@compiled(
    "i8[:,::1](Array(u4, 1, 'C', readonly=True), u1[::1], u4[::1], u4[::1], Array(u4, 1, 'C', readonly=True), "
    "i2[:,::1], i1[:,::1])"
)
def _find_words(points, codes, starts, ends, apostrophes, states, spelled):  # type: ignore[no-untyped-def]  # compiled
    """Find words of Latin letters and apostrophes: begin, end, Han letters before, and by system the initial or -1."""
    words = np.empty((len(codes), 3 + _SYSTEMS), np.int64)
    count = last = place = 0
    while place < len(codes):
        if not LATIN_A <= codes[place] < DIGIT_0:
            place += 1
            continue
        begin, state = place, 0
        while True:
            state = states[state, codes[place] - LATIN_A] if state >= 0 else -1
            state = state if state > 0 else -1
            place += 1
            if place == len(codes) or not LATIN_A <= codes[place] < DIGIT_0:
                break
            if starts[place] == ends[place - 1]:
                continue
            mark = points[ends[place - 1]]
            joined = False
            for each in apostrophes:
                joined |= each == mark
            if not joined or starts[place] != ends[place - 1] + 1:
                break
            state = states[state, _APOSTROPHE] if state >= 0 else -1
            state = state if state > 0 else -1
        words[count, 0], words[count, 1], words[count, 2] = begin, place, begin - last
        for system in range(_SYSTEMS):
            words[count, 3 + system] = spelled[state, system] if state > 0 else -1
        last = place
        count += 1
    return words[:count].copy()


@compiled("i8[::1](i8[:,::1])")
def _choose_initials(words):  # type: ignore[no-untyped-def]  # compiled
    """Return the initial of each word in a stretch of one system, -1 for the others."""
    chosen = np.full(len(words), -1, np.int64)
    spelled = np.zeros(_SYSTEMS, np.int64)
    first = 0
    for end in range(len(words) + 1):
        if end < len(words) and (end == first or words[end, 2] <= _MAX_HAN_BETWEEN):
            continue
        count = end - first
        spelled[:] = 0
        for word in range(first, end):
            for system in range(_SYSTEMS):
                spelled[system] += words[word, 3 + system] >= 0
        for system in range(1, _SYSTEMS):
            least = _MIN_SYLLABLES if system < _SYSTEMS - 1 else _MIN_DOUBLE_SYLLABLES
            share = spelled[system] / max(1, count)
            if count >= least and share >= _MIN_SHARE and share >= spelled[0] / count + _MIN_SURPLUS:
                for word in range(first, end):
                    chosen[word] = words[word, 3 + system]
                break
        first = end
    return chosen
