"""Leave out words and numbers that were put in between the characters of a text at a steady place.

Sellers of rewritten texts put a word of English behind each word, or a running number behind each character or line. A
text has words and numbers of its own, which come where they are wanted: in no order, or far apart.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LATIN_A
from fingerprinter.compiled import compiled

_MIN_COUNTED = 8  # numbers in succession that rise or fall by the same step ...
_MAX_COUNTED_HAN = 48  # ... with so many Han letters between two of them at most: line numbers, counts of characters
_MAX_FOREIGN_NUMBERS = 2  # of the text itself between two that count
_MAX_NUMBER_DIGITS = 9
_MIN_WORDS = 12  # words of Latin letters in succession ...
_MAX_WORD_LETTERS = 14
_MAX_HAN = 12  # ... with so many Han letters between two of them at most, and on average ...
_MAX_MEAN_HAN_OF_ANY = 2.5  # ... so many if they are any words: terms of a text stand further apart
_MAX_MEAN_HAN = 6  # ... so many if half of them are particles, which no Chinese sentence has
_PARTICLES = (
    "a an and are as at be but by can for from had has have he his if in is it its not of on or she so that the their "
    "then there they this to was we were which who will with you"
)
_MAX_PARTICLE_LETTERS, _MIN_PARTICLE_SHARE = 5, 0.5
_PARTICLE_SLOTS = 27**_MAX_PARTICLE_LETTERS
_MAX_BESIDE_SHARE = 0.2  # of such words that stand beside another: terms of a text often do
_MIN_VOWEL_SHARE = 0.7  # of such words that have a vowel: abbreviations by initials have none
_MAX_PINYIN_SHARE = 0.6  # of such words that pinyin spells, too: more of them are pinyin
_MIN_CODES = 24  # words or numbers of one width in succession, behind each Han letter or two: their codes
_MAX_CODE_HAN = 6
_MIN_HEXADECIMAL_SHARE = 1 / 8  # of such codes that have letters: a row of years has none
_MIN_CODE_LETTERS = 4
_BEGIN, _END, _VALUE, _HAN, _KIND = range(5)  # columns of runs
_WORD, _NUMBER, _MIXED = range(3)  # kinds of runs
_VOWELS = sum(1 << (ord(letter) - ord("a")) for letter in "aeiou")  # as bits

_Codes = NDArray[np.uint8]
_Places = NDArray[np.uint32]


def mark_insertions(codes: _Codes, starts: _Places, ends: _Places, tree: NDArray[np.int16]) -> NDArray[np.bool_] | None:
    """bool[n]: which letters are the text's own; None where all of them are.

    codes: u8[n]; starts, ends: u32[n], as in `Initials`. tree: the trie of syllables.
    """
    if _count_runs(codes) < _MIN_COUNTED:
        return None
    kept = np.ones(len(codes), np.bool_)
    runs = _find_runs(codes, starts, ends)
    changed = _drop_counted(runs, kept) + _drop_words(runs, codes, tree, _particle_hashes(), kept)
    changed += _drop_codes(runs, kept)
    return kept if changed else None


@cache
def _particle_hashes() -> NDArray[np.bool_]:
    """bool[n]: at the number that each particle spells, whether it does."""
    words = [np.array([LATIN_A + ord(letter) - ord("a") for letter in word], np.uint8) for word in _PARTICLES.split()]
    table = np.zeros(_PARTICLE_SLOTS, np.bool_)
    table[[_word_number(codes, 0, len(codes)) for codes in words]] = True
    return table


@compiled("i8(u1[::1], i8, i8)")
def _word_number(codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """A number below `_PARTICLE_SLOTS` for a short word; other short words have others."""
    number = 0
    for place in range(begin, end):
        number = number * 27 + codes[place] - LATIN_A + 1
    return number


@compiled("i8(u1[::1])")
def _count_runs(codes: _Codes) -> int:
    """How many runs of Latin letters and digits begin behind a Han letter; at memory speed."""
    count = max(0, len(codes) - 1)
    before, these = codes[:count], codes[1:]
    found = 0
    for place in range(count):
        found += (these[place] >= LATIN_A) & (before[place] < LATIN_A)
    return found


@compiled("i8[:,::1](u1[::1], u4[::1], u4[::1])")
def _find_runs(codes, starts, ends):  # type: ignore[no-untyped-def]  # compiled
    """Runs of Latin letters and digits without a mark between: begin, end, value of a number or -1, Han letters
    before it, kind.
    """
    most = 0
    for code in codes:
        most += code >= LATIN_A
    found = np.empty((most, 5), np.int64)
    count = place = last = 0
    while place < len(codes):
        if codes[place] < LATIN_A:
            place += 1
            continue
        begin, value, letters = place, 0, 0
        while place < len(codes) and codes[place] >= LATIN_A and (place == begin or starts[place] <= ends[place - 1]):
            if codes[place] < DIGIT_0:
                letters += 1
            elif place - begin < _MAX_NUMBER_DIGITS:
                value = 10 * value + codes[place] - DIGIT_0
            place += 1
        number = letters == 0 and place - begin <= _MAX_NUMBER_DIGITS
        found[count, _BEGIN], found[count, _END] = begin, place
        found[count, _VALUE] = value if number else -1
        found[count, _HAN] = begin - last
        found[count, _KIND] = _NUMBER if letters == 0 else _WORD if letters == place - begin else _MIXED
        last = place
        count += 1
    return found[:count].copy()


@compiled("i8(i8[:,::1], i8, i8)")
def _next_counted(runs, at, step):  # type: ignore[no-untyped-def]  # compiled
    """Which run goes on counting by this step behind that one; -1 where none does."""
    han = 0
    for following in range(at + 1, min(len(runs), at + 2 + _MAX_FOREIGN_NUMBERS)):
        han += runs[following, _HAN]
        if han > _MAX_COUNTED_HAN:
            return -1
        if runs[following, _VALUE] == runs[at, _VALUE] + step:
            return following
    return -1


@compiled("b1(i8[:,::1], b1[::1])")
def _drop_counted(runs, kept):  # type: ignore[no-untyped-def]  # compiled
    chain = np.empty(len(runs), np.int64)
    changed = False
    at = 0
    while at + 1 < len(runs):
        step = runs[at + 1, _VALUE] - runs[at, _VALUE]
        count = han = 0
        if runs[at, _VALUE] >= 0 and runs[at + 1, _VALUE] >= 0 and step != 0:
            place = at
            while place >= 0:
                chain[count] = place
                count += 1
                place = _next_counted(runs, place, step)
        for number in range(1, count):
            han += runs[chain[number], _HAN]
        if count >= _MIN_COUNTED and 2 * han >= count:  # numbers alone are a table
            for number in range(count):
                kept[runs[chain[number], _BEGIN] : runs[chain[number], _END]] = False
            changed = True
            at = chain[count - 1]
        at += 1
    return changed


@compiled("b1(u1[::1], i8, i8, i2[:,::1])")
def _is_pinyin(codes, begin, end, tree):  # type: ignore[no-untyped-def]  # compiled
    """Whether syllables of pinyin spell this word."""
    reached = np.zeros(end - begin + 1, np.bool_)
    reached[0] = True
    for place in range(end - begin):
        if not reached[place]:
            continue
        state = 0
        for step in range(begin + place, end):
            state = tree[state, codes[step] - LATIN_A]
            if state == 0:
                break
            if tree[state, 26]:
                reached[step + 1 - begin] = True
    return reached[end - begin]


@compiled("b1(u1[::1], i8, i8)")
def _has_vowel(codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    for place in range(begin, end):  # noqa: SIM110  compiled
        if (_VOWELS >> (codes[place] - LATIN_A)) & 1:
            return True
    return False


@compiled("b1(i8[:,::1], u1[::1], i2[:,::1], b1[::1], b1[::1])")
def _drop_words(runs, codes, tree, particles, kept):  # type: ignore[no-untyped-def]  # compiled
    changed = False
    first = 0  # of the words in succession
    for at in range(len(runs) + 1):
        goes_on = at < len(runs) and runs[at, _KIND] == _WORD
        goes_on = goes_on and 1 < runs[at, _END] - runs[at, _BEGIN] <= _MAX_WORD_LETTERS
        if goes_on and at > first:
            # Behind a mark of the text a word may stand beside another. More are a sentence of their own.
            beside = runs[at, _HAN] == 0 and (at - 1 == first or runs[at - 1, _HAN] == 0)
            goes_on = not beside and runs[at, _HAN] <= _MAX_HAN
        if goes_on:
            continue
        count = at - first
        if count >= _MIN_WORDS:
            han = vowels = pinyin = small = beside_another = 0
            for each in range(first, at):
                begin, end = runs[each, _BEGIN], runs[each, _END]
                small += end - begin <= _MAX_PARTICLE_LETTERS and particles[_word_number(codes, begin, end)]
                han += runs[each, _HAN] if each > first else 0
                beside_another += each > first and runs[each, _HAN] == 0
                vowels += _has_vowel(codes, runs[each, _BEGIN], runs[each, _END])
                pinyin += _is_pinyin(codes, runs[each, _BEGIN], runs[each, _END], tree)
            plain = vowels >= _MIN_VOWEL_SHARE * count and pinyin <= _MAX_PINYIN_SHARE * count
            most = _MAX_MEAN_HAN if small >= _MIN_PARTICLE_SHARE * count else _MAX_MEAN_HAN_OF_ANY
            if plain and han <= most * count and beside_another <= _MAX_BESIDE_SHARE * count:
                for each in range(first, at):
                    kept[runs[each, _BEGIN] : runs[each, _END]] = False
                changed = True
        first = at if goes_on else at + 1
    return changed


@compiled("b1(i8[:,::1], b1[::1])")
def _drop_codes(runs, kept):  # type: ignore[no-untyped-def]  # compiled
    changed = False
    first = 0
    for at in range(len(runs) + 1):
        width = runs[first, _END] - runs[first, _BEGIN] if first < len(runs) else 0
        goes_on = at < len(runs)
        if goes_on and at > first:
            goes_on = runs[at, _HAN] <= _MAX_CODE_HAN and runs[at, _END] - runs[at, _BEGIN] == width
        if goes_on:
            continue
        hexadecimal = 0
        for each in range(first, at):
            hexadecimal += runs[each, _KIND] != _NUMBER
        enough = at - first >= _MIN_CODES and hexadecimal >= _MIN_HEXADECIMAL_SHARE * (at - first)
        if enough and width >= _MIN_CODE_LETTERS:
            for each in range(first, at):
                kept[runs[each, _BEGIN] : runs[each, _END]] = False
            changed = True
        first = at
    return changed
