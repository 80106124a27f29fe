"""Look up a reading with blanks: each gram with the likeliest initials in place of its blanks.

The index has contiguous grams alone, so the query tries what may have stood there. This is a spaced seed on the side of
the query (Ma, Tromp and Li, "PatternHunter", 2002).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import LATIN_A
from fingerprinter.compiled import compiled
from fingerprinter.features.frequency import load_reference
from fingerprinter.features.hashing import GRAM_SEED, absorb_value, finalize_hash, pair_hashes
from fingerprinter.features.index_features import GRAM_LEAD, query_features
from fingerprinter.features.model import ANCHOR_RADIUS, GRAM_UNITS, Features
from matcher.retrieval.page_readings import BLANK, PageReading

_GRAM_LETTERS = GRAM_UNITS // 2  # Han letters of a gram
_MIN_TRIED, _MAX_TRIED = 5, 10  # initials that are tried in a blank, the most frequent: in half of all, in most
# Features of a reading whose six letters have one blank or two, from which about eight hits come on one diagonal. They
# limit the initials that are tried.
_MAX_FEATURES, _MAX_CERTAIN_FEATURES = (0, 250, 800), (0, 1_000, 4_000)
_ANCHOR_SHARE = 1 / 6  # share of the grams that may be anchored


def reading_features(reading: PageReading) -> Features:
    """Return the features by which the disguised letters of a reading are looked up."""
    begin, end = reading.begin, reading.end
    codes = reading.letters.codes[begin:end]
    if not reading.blank[begin:end].any():
        features = query_features(reading.letters.part(begin, end))
        return Features(features.values, features.positions + np.uint32(begin))
    most = (_MAX_CERTAIN_FEATURES if reading.certain else _MAX_FEATURES)[reading.max_blanks]
    wanted = (most / _ANCHOR_SHARE / len(codes)) ** (1 / reading.max_blanks)
    tried = _frequent_initials()[: int(min(max(wanted, _MIN_TRIED), _MAX_TRIED))]
    # The middle of a long stretch is enough.
    letters = int(most / (_ANCHOR_SHARE * len(tried) ** reading.max_blanks))
    first = max(0, (len(codes) - letters) // 2)
    values, positions = _blank_grams(codes[first : first + letters], tried, _pair_order(), reading.max_blanks, 2 * most)
    return Features(values, positions + np.uint32(begin + first))


@cache
def _frequent_initials() -> NDArray[np.uint8]:
    """Return the codes of the initials, the most frequent first: u8[20]."""
    return np.argsort(-load_reference().counts, kind="stable").astype(np.uint8)


@cache
def _pair_order() -> NDArray[np.uint16]:
    """Return u16[21, 21]: the hash of each pair of initials, by which anchors are chosen."""
    return np.array(
        [
            [pair_hashes(np.array((first, second), np.uint8))[0] for second in range(LATIN_A)]
            for first in range(LATIN_A)
        ],
        np.uint16,
    )


@compiled("b1(u1[::1], u2[:,::1])")
def _is_anchored(gram, order):  # type: ignore[no-untyped-def]  # compiled
    """Whether the pair behind the lead of a gram is the smallest of the pairs inside the gram."""
    here = order[gram[GRAM_LEAD], gram[GRAM_LEAD + 1]]
    for place in range(max(0, GRAM_LEAD - ANCHOR_RADIUS), min(len(gram) - 1, GRAM_LEAD + ANCHOR_RADIUS + 1)):
        other = order[gram[place], gram[place + 1]]
        if other < here or (place < GRAM_LEAD and other == here):
            return False
    return True


@compiled("Tuple((u8[::1], u4[::1]))(u1[::1], u1[::1], u2[:,::1], i8, i8)")
def _blank_grams(codes, tried, order, max_blanks, most):  # type: ignore[no-untyped-def]  # compiled
    """Return values and positions of the grams of letters with blanks, each blank filled in all ways."""
    values, positions = np.empty(most, np.uint64), np.empty(most, np.uint32)
    count = 0
    gram = np.empty(_GRAM_LETTERS, np.uint8)
    blanks = np.empty(_GRAM_LETTERS, np.int64)
    for begin in range(len(codes) - _GRAM_LETTERS + 1):
        blank_count = 0
        is_han = True
        for place in range(_GRAM_LETTERS):
            code = codes[begin + place]
            gram[place] = code
            if code == BLANK:
                blanks[blank_count] = place
                blank_count += 1
            elif code >= LATIN_A:
                is_han = False
        if not is_han or blank_count > max_blanks:
            continue
        for filling in range(len(tried) ** blank_count):
            rest = filling
            for blank in blanks[:blank_count]:
                gram[blank] = tried[rest % len(tried)]
                rest //= len(tried)
            if not _is_anchored(gram, order):
                continue
            if count == most:
                return values, positions
            state = np.uint64(GRAM_SEED)
            for code in gram:
                state = absorb_value(state, np.uint64(code))
            values[count], positions[count] = finalize_hash(state), begin
            count += 1
    return values[:count].copy(), positions[:count].copy()
