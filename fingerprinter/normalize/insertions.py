"""Remove words and numbers that were inserted between the characters of a text at regular intervals.

Sellers of rewritten texts insert an English word behind each word, or a running number behind each character or line. A
text's own words and numbers follow no such order, or occur far apart.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0, LAST_ASCII, LATIN_A
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_statistics import adjacency_nats, load_adjacency

_MIN_COUNTED = 8  # numbers in succession that rise or fall by the same step ...
_MAX_COUNTED_HAN = 48  # ... with at most so many Han letters between two of them: line numbers, counts of characters
_MAX_FOREIGN_NUMBERS = 2  # numbers of the text itself between two inserted ones
_MAX_NUMBER_DIGITS = 9
_MIN_WORDS = 12  # Latin words in succession ...
_MAX_WORD_LETTERS = 14
_MAX_HAN = 12  # ... with at most so many Han letters between two of them, and on average ...
_MAX_MEAN_HAN_OF_ANY = 2.5  # ... at most so many for arbitrary words: a text's own terms occur further apart
_MAX_MEAN_HAN = 6  # ... at most so many if half of them are particles, which no Chinese sentence has
_PARTICLES = (
    "a an and are as at be but by can for from had has have he his if in is it its not of on or she so that the their "
    "then there they this to was we were which who will with you"
)
_MAX_PARTICLE_LETTERS, _MIN_PARTICLE_SHARE = 5, 0.5
_PARTICLE_SLOTS = 27**_MAX_PARTICLE_LETTERS
_MAX_BESIDE_SHARE = 0.3  # share of such words beside another one: a text's own terms are often adjacent
_MIN_VOWEL_SHARE = 0.7  # share of such words that have a vowel: abbreviations by initials have none
_MAX_PINYIN_SHARE = 0.6  # share of such words that pinyin spells: a higher share means pinyin
_MIN_CODES = 24  # words or numbers of one width in succession, behind each Han letter or two: character codes
_MAX_CODE_HAN = 6
_MIN_HEXADECIMAL_SHARE = 1 / 8  # share of such codes that have letters: a row of years has none
_MIN_CODE_LETTERS = 4
_MIN_MISPLACED = 12  # words or numbers in succession inside of words ...
_MIN_ACROSS = 10  # ... of which so many have no punctuation beside them ...
# ... and the characters on both sides of them fit together: mean nats, and standard errors above chance. The characters
# around a text's own words and numbers fit only as by chance.
_MIN_ACROSS_NATS, _MIN_ACROSS_Z = 0.25, 2.8
_MIN_SAME_SHARE = 0.8  # share of one word or number among those in succession, if it is inserted again and again
_MIN_OWN_CODES, _MAX_OWN_CODE = 8, 7  # numbers equal to the code points of adjacent characters; their digits
_OWN_CODE_REACH = 4  # code points between such a number and its character
_BEGIN, _END, _VALUE, _HAN, _KIND = range(5)  # columns of runs
_WORD, _NUMBER, _MIXED = range(3)  # kinds of runs
_SPACE = ord(" ")
_VOWELS = sum(1 << (ord(letter) - ord("a")) for letter in "aeiou")  # as bits

_Codes = NDArray[np.uint8]
_Places = NDArray[np.uint32]


def mark_insertions(
    codes: _Codes, starts: _Places, ends: _Places, points: _Places, tree: NDArray[np.int16]
) -> NDArray[np.bool_] | None:
    """Mark which letters are the text's own: bool[n]. Return None if all of them are.

    codes: u8[n]. starts, ends: u32[n], as in `Initials`. points: the code points that `starts` and `ends` index. tree:
    the trie of syllables.
    """
    if _count_runs(codes) < _MIN_COUNTED:
        return None
    kept = np.ones(len(codes), np.bool_)
    runs = _find_runs(codes, starts, ends)
    changed = _drop_counted(runs, kept) + _drop_words(runs, codes, tree, _particle_hashes(), kept)
    changed += _drop_codes(runs, kept) + _drop_own_codes(runs, codes, starts, points, kept)
    changed += _drop_repeated(runs, codes, kept)
    changed = changed or _drop_misplaced(runs, starts, ends, points, *load_adjacency(), kept)
    return kept if changed else None


@cache
def _particle_hashes() -> NDArray[np.bool_]:
    """Return bool[n]: true at the number that each particle spells."""
    words = [np.array([LATIN_A + ord(letter) - ord("a") for letter in word], np.uint8) for word in _PARTICLES.split()]
    table = np.zeros(_PARTICLE_SLOTS, np.bool_)
    table[[_word_number(codes, 0, len(codes)) for codes in words]] = True
    return table


@compiled("i8(u1[::1], i8, i8)")
def _word_number(codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Return a number below `_PARTICLE_SLOTS` for a short word. Two short words never share a number."""
    number = 0
    for place in range(begin, end):
        number = number * 27 + codes[place] - LATIN_A + 1
    return number


@compiled("i8(u1[::1])")
def _count_runs(codes: _Codes) -> int:
    """Count the runs of Latin letters and digits that begin behind a Han letter. It runs at memory speed."""
    count = max(0, len(codes) - 1)
    before, following = codes[:count], codes[1:]
    count_of_runs = 0
    for place in range(count):
        count_of_runs += (following[place] >= LATIN_A) & (before[place] < LATIN_A)
    return count_of_runs


@compiled("i8[:,::1](u1[::1], u4[::1], u4[::1])")
def _find_runs(codes, starts, ends):  # type: ignore[no-untyped-def]  # compiled
    """Find the runs of Latin letters and digits without punctuation inside.

    Columns: begin, end, value of a number or -1, Han letters before the run, kind.
    """
    most = 0
    for code in codes:
        most += code >= LATIN_A
    runs = np.empty((most, 5), np.int64)
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
        runs[count, _BEGIN], runs[count, _END] = begin, place
        runs[count, _VALUE] = value if number else -1
        runs[count, _HAN] = begin - last
        runs[count, _KIND] = _NUMBER if letters == 0 else _WORD if letters == place - begin else _MIXED
        last = place
        count += 1
    return runs[:count].copy()


@compiled("i8(i8[:,::1], i8, i8)")
def _next_counted(runs, run, step):  # type: ignore[no-untyped-def]  # compiled
    """Return the run that continues the count by this step, or -1."""
    han = 0
    for following in range(run + 1, min(len(runs), run + 2 + _MAX_FOREIGN_NUMBERS)):
        han += runs[following, _HAN]
        if han > _MAX_COUNTED_HAN:
            return -1
        if runs[following, _VALUE] == runs[run, _VALUE] + step:
            return following
    return -1


@compiled("b1(i8[:,::1], b1[::1])")
def _drop_counted(runs, kept):  # type: ignore[no-untyped-def]  # compiled
    chain = np.empty(len(runs), np.int64)
    changed = False
    run = 0
    while run + 1 < len(runs):
        step = runs[run + 1, _VALUE] - runs[run, _VALUE]
        count = han = 0
        if runs[run, _VALUE] >= 0 and runs[run + 1, _VALUE] >= 0 and step != 0:
            place = run
            while place >= 0:
                chain[count] = place
                count += 1
                place = _next_counted(runs, place, step)
        for number in range(1, count):
            han += runs[chain[number], _HAN]
        if count >= _MIN_COUNTED and 2 * han >= count:  # numbers without text between them are a table
            for number in range(count):
                kept[runs[chain[number], _BEGIN] : runs[chain[number], _END]] = False
            changed = True
            run = chain[count - 1]
        run += 1
    return changed


@compiled("b1(u1[::1], i8, i8, i2[:,::1])")
def _is_pinyin(codes, begin, end, tree):  # type: ignore[no-untyped-def]  # compiled
    """Tell whether syllables of pinyin spell this word."""
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
    first = 0  # first of the words in succession
    for until in range(len(runs) + 1):
        goes_on = until < len(runs) and runs[until, _KIND] == _WORD
        goes_on = goes_on and 1 < runs[until, _END] - runs[until, _BEGIN] <= _MAX_WORD_LETTERS
        if goes_on and until > first:
            # After the text's own punctuation a word may have one neighbour. More neighbours are a sentence of their
            # own.
            beside = runs[until, _HAN] == 0 and (until - 1 == first or runs[until - 1, _HAN] == 0)
            goes_on = not beside and runs[until, _HAN] <= _MAX_HAN
        if goes_on:
            continue
        count = until - first
        if count >= _MIN_WORDS:
            han = vowels = pinyin = small = beside_another = 0
            for each in range(first, until):
                begin, end = runs[each, _BEGIN], runs[each, _END]
                small += end - begin <= _MAX_PARTICLE_LETTERS and particles[_word_number(codes, begin, end)]
                han += runs[each, _HAN] if each > first else 0
                beside_another += each > first and runs[each, _HAN] == 0
                vowels += _has_vowel(codes, runs[each, _BEGIN], runs[each, _END])
                pinyin += _is_pinyin(codes, runs[each, _BEGIN], runs[each, _END], tree)
            plain = vowels >= _MIN_VOWEL_SHARE * count and pinyin <= _MAX_PINYIN_SHARE * count
            most = _MAX_MEAN_HAN if small >= _MIN_PARTICLE_SHARE * count else _MAX_MEAN_HAN_OF_ANY
            if plain and han <= most * count and beside_another <= _MAX_BESIDE_SHARE * count:
                for each in range(first, until):
                    kept[runs[each, _BEGIN] : runs[each, _END]] = False
                changed = True
        first = until if goes_on else until + 1
    return changed


@compiled("b1(i8[:,::1], b1[::1])")
def _drop_codes(runs, kept):  # type: ignore[no-untyped-def]  # compiled
    changed = False
    first = 0
    for end in range(len(runs) + 1):
        width = runs[first, _END] - runs[first, _BEGIN] if first < len(runs) else 0
        goes_on = end < len(runs)
        if goes_on and end > first:
            goes_on = runs[end, _HAN] <= _MAX_CODE_HAN and runs[end, _END] - runs[end, _BEGIN] == width
        if goes_on:
            continue
        hexadecimal = 0
        for each in range(first, end):
            hexadecimal += runs[each, _KIND] != _NUMBER
        enough = end - first >= _MIN_CODES and hexadecimal >= _MIN_HEXADECIMAL_SHARE * (end - first)
        if enough and width >= _MIN_CODE_LETTERS:
            for each in range(first, end):
                kept[runs[each, _BEGIN] : runs[each, _END]] = False
            changed = True
        first = end
    return changed


@compiled("b1(i8[:,::1], u1[::1], u4[::1], Array(u4, 1, 'C', readonly=True), b1[::1])")
def _drop_own_codes(runs, codes, starts, points, kept):  # type: ignore[no-untyped-def]  # compiled
    """Drop numbers that are the code points of adjacent characters, as in a character table."""
    own = np.empty(len(runs), np.int64)
    count = 0
    for number in range(len(runs)):
        begin, end = runs[number, _BEGIN], runs[number, _END]
        if not _MIN_CODE_LETTERS <= end - begin <= _MAX_OWN_CODE:
            continue
        decimal = hexadecimal = 0
        for place in range(begin, end):
            digit = codes[place] - DIGIT_0 if codes[place] >= DIGIT_0 else codes[place] - LATIN_A + 10
            decimal = 10 * decimal + digit if digit < 10 and decimal >= 0 else -1
            hexadecimal = 16 * hexadecimal + digit if digit < 16 and hexadecimal >= 0 else -1
        place = max(0, int(starts[begin]) - _OWN_CODE_REACH)
        last = int(starts[end - 1]) + _OWN_CODE_REACH
        while place <= last and place < len(points):
            if points[place] > LAST_ASCII and points[place] in (decimal, hexadecimal):
                own[count] = number
                count += 1
                break
            place += 1
    if count < _MIN_OWN_CODES:
        return False
    for number in own[:count]:
        kept[runs[number, _BEGIN] : runs[number, _END]] = False
        # The U of U+4E00.
        if number > 0 and runs[number, _HAN] == 0 and runs[number - 1, _END] - runs[number - 1, _BEGIN] == 1:
            kept[runs[number - 1, _BEGIN]] = False
    return True


@compiled("b1(u1[::1], i8[:,::1], i8, i8)")
def _is_same_run(codes, runs, first, second):  # type: ignore[no-untyped-def]  # compiled
    begin, other = runs[first, _BEGIN], runs[second, _BEGIN]
    size = runs[first, _END] - begin
    if runs[second, _END] - other != size:
        return False
    for step in range(size):  # noqa: SIM110  compiled
        if codes[begin + step] != codes[other + step]:
            return False
    return True


@compiled("b1(i8[:,::1], u1[::1], b1[::1])")
def _drop_repeated(runs, codes, kept):  # type: ignore[no-untyped-def]  # compiled
    """Drop a word or number that repeats between a few Han letters each time."""
    changed = False
    first = 0
    for end in range(len(runs) + 1):
        if end < len(runs) and (end == first or runs[end, _HAN] <= _MAX_HAN):
            continue
        same, han = 1, 0
        for each in range(first + 1, end):
            same += _is_same_run(codes, runs, each - 1, each)
            han += runs[each, _HAN]
        size = runs[first, _END] - runs[first, _BEGIN] if first < end else 0
        thick = 2 * han >= end - first >= _MIN_MISPLACED  # words without text between them are a refrain
        if size > 1 and thick and same >= _MIN_SAME_SHARE * (end - first):
            for each in range(first, end):
                kept[runs[each, _BEGIN] : runs[each, _END]] = False
            changed = True
        first = end
    return changed


@compiled("f8(i8, i8, u4[::1], u4[::1], Array(u4, 1, 'C', readonly=True), i1[::1], i1[::1], i1[::1])")
def _nats_across(before, behind, starts, ends, points, word_ends, word_starts, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Return how well the letters on both sides of a run fit together, or NaN beside punctuation."""
    if before < 0 or behind >= len(starts):
        return np.nan
    for begin, end in ((ends[before], starts[before + 1]), (ends[behind - 1], starts[behind])):
        for place in range(begin, end):
            if points[place] != _SPACE:
                return np.nan
    first, second = points[starts[before]], points[starts[behind]]
    return np.float64(adjacency_nats(first, second, word_ends, word_starts, pairs))


@compiled("b1(i8[:,::1], u4[::1], u4[::1], Array(u4, 1, 'C', readonly=True), i1[::1], i1[::1], i1[::1], b1[::1])")
def _drop_misplaced(runs, starts, ends, points, word_ends, word_starts, pairs, kept):  # type: ignore[no-untyped-def]  # compiled
    """Drop words and numbers that occur inside of words, whatever they are."""
    changed = False
    first = 0
    places = across = 0
    nats = 0.0
    for end in range(len(runs) + 1):
        if end == len(runs) or (end > first and runs[end, _HAN] > _MAX_HAN):
            inside = across >= _MIN_ACROSS and nats >= max(_MIN_ACROSS_NATS * across, _MIN_ACROSS_Z * np.sqrt(across))
            if inside and places >= _MIN_MISPLACED:
                for each in range(first, end):
                    if runs[each, _END] - runs[each, _BEGIN] > 1:
                        kept[runs[each, _BEGIN] : runs[each, _END]] = False
                changed = True
            first = end
            places = across = 0
            nats = 0.0
        if end == len(runs):
            break
        if end > first and runs[end, _HAN] == 0:  # counts as one position with the word before it
            continue
        last = end
        while last + 1 < len(runs) and runs[last + 1, _HAN] == 0:
            last += 1
        behind = runs[last, _END]
        if behind - runs[end, _BEGIN] == 1:  # single letters may be initials, or `pinyin` drops them as strays
            continue
        places += 1
        fit = _nats_across(runs[end, _BEGIN] - 1, behind, starts, ends, points, word_ends, word_starts, pairs)
        if not np.isnan(fit):
            across += 1
            nats += fit
    return changed
