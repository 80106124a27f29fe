"""Determine which letters of a page each work has, and which works are editions of one text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS
from fingerprinter.compiled import compiled

# Which of some works has which letters of a page, and what of a passage is a work's own: the counting, compiled.
#
# `matcher.attribution.common_text` says why.


_MIN_PECULIAR = 8  # letters in which two works differ, from which it can be told whether the page inherits them
_MIN_FOLLOWED = 3  # ... and where the page has all of one work's and nothing of the other's
_MIN_INHERITED_SHARE = 0.5  # share of the former, below which the page owes what both share to neither
_MIN_ALL_SHARE = 0.9  # ... and from which it has them from this work, whatever the other one shares
_MIN_WHOLE_SHARE = 0.9  # share of a work, from which all of it was copied, and all its letters are compared
_MAX_SLOT_LETTERS = 48  # letters between two that all three share, up to which they stand in the same place


@compiled("Tuple((i4[::1], i4[:,::1]))(i4[:,::1], i8[::1])")
def find_shared_letters(agreed, ends):  # type: ignore[no-untyped-def]  # compiled
    """The letters of the page that any of some works has, ascending: i32[n]; and the letter of each work that each of
    them agrees with, -1 where there is none: i32[works, n].

    agreed: i32[k, 2], of one work after the other, those of work i up to ends[i].
    """
    first = agreed[:, 0].min() if len(agreed) else 0
    columns = np.full(agreed[:, 0].max() + 1 - first if len(agreed) else 0, -1, np.int32)  # from the first letter on
    for at in range(len(agreed)):
        columns[agreed[at, 0] - first] = 0
    pages = np.flatnonzero(columns == 0).astype(np.int32)
    for column in range(len(pages)):
        columns[pages[column]] = column
    pages += np.int32(first)
    places = np.full((len(ends), len(pages)), -1, np.int32)
    at = 0
    for work in range(len(ends)):
        while at < ends[work]:
            places[work, columns[agreed[at, 0] - first]] = agreed[at, 1]
            at += 1
    return pages, places


@compiled("i8[::1](b1[:,::1], i8[::1])")
def count_other_works(has, editions):  # type: ignore[no-untyped-def]  # compiled
    """Of each letter of the page how many works have it, beyond the first; editions of one text count once."""
    seen = np.zeros(has.shape, np.bool_)
    having = np.zeros(has.shape[1], np.int64)
    for work in range(has.shape[0]):
        for column in range(has.shape[1]):
            if has[work, column] and not seen[editions[work], column]:
                seen[editions[work], column] = True
                having[column] += 1
    return np.maximum(having - 1, 0)


_I4 = "Array(i4, 1, 'C', readonly=True)"
_CODES = "Array(u1, 1, 'C', readonly=True)"


@compiled(f"UniTuple(i8, 2)({_I4}, {_I4}, {_I4}, {_CODES}, {_I4}, {_CODES})")
def _count_variants(on_page, pages, mine, codes, theirs, their_codes):  # type: ignore[no-untyped-def]  # compiled
    """Letters in which a work differs from another one between those that both share with the page, and how many of
    them the page has.
    """
    differing = 0
    inherited = 0
    last = -1
    for here in on_page:
        if theirs[here] < 0 or mine[here] < 0:
            continue
        begin, end = mine[last] + 1, mine[here]
        their_begin, their_end = theirs[last] + 1, theirs[here]
        between = pages[here] - pages[last] - 1
        near = max(end - begin, their_end - their_begin, between) <= _MAX_SLOT_LETTERS
        if last >= 0 and begin <= end and their_begin <= their_end and near:
            while begin < end and their_begin < their_end and codes[begin] == their_codes[their_begin]:
                begin += 1
                their_begin += 1
            while begin < end and their_begin < their_end and codes[end - 1] == their_codes[their_end - 1]:
                end -= 1
                their_end -= 1
            if begin < end:
                differing += end - begin
                for place in range(last + 1, here):
                    inherited += begin <= mine[place] < end
            else:  # it leaves out what the other has
                differing += their_end - their_begin
                inherited += 0 if between else their_end - their_begin
        last = here
    return differing, inherited


_SHARING = "Tuple((i4[::1], i4[:,::1], b1[:,::1], i8[::1], i8[::1], i8[::1]))"
_ALL_CODES = "Tuple((u1[::1], i8[::1]))"


@compiled(f"UniTuple(i8, 2)({_I4}, {_SHARING}, {_ALL_CODES}, i8, i8)")
def _count_peculiar(on_page, sharing, all_codes, number, other):  # type: ignore[no-untyped-def]  # compiled
    """Letters that a work has and another one has not, and how many of them the page has."""
    pages, places, has, counts, _, _ = sharing
    codes, starts = all_codes
    length = starts[number + 1] - starts[number]
    if counts[number] >= _MIN_WHOLE_SHARE * length:
        both = 0
        for column in range(len(pages)):
            both += has[other, column] and has[number, column]
        return length - both, counts[number] - both
    mine = codes[starts[number] : starts[number + 1]]
    theirs = codes[starts[other] : starts[other + 1]]
    return _count_variants(on_page, pages, places[number], mine, places[other], theirs)


@compiled(f"f8[::1](i4[::1], {_SHARING}, {_ALL_CODES}, i8, b1, f8[::1])")
def weigh_own_letters(agreed, sharing, all_codes, number, with_rivals, tells):  # type: ignore[no-untyped-def]  # compiled
    """What each letter of a passage tells of its work: f64[k].

    agreed: the letters of the page, ascending. sharing: `LetterSharing`'s pages, places, has, counts, editions and
    others. all_codes: the letters of all works, one behind the other, and where each work's begin. with_rivals: whether
    works may have their letters from a third text. tells: what a letter tells that so many others have.
    """
    pages, _, has, _, editions, others_of_all = sharing
    on_page = np.searchsorted(pages, agreed).astype(np.int32)
    others = others_of_all[on_page]
    common = np.zeros(len(on_page), np.bool_)
    for other in range(has.shape[0] if with_rivals else 0):
        shares, all_of_it = False, True
        for here in on_page:
            shares |= has[other, here]
            all_of_it &= has[other, here]
        if not shares or editions[other] == editions[number]:
            continue
        differing, inherited = _count_peculiar(on_page, sharing, all_codes, number, other)
        if differing < _MIN_PECULIAR:
            if differing >= _MIN_FOLLOWED and not inherited and all_of_it:
                theirs, has_theirs = _count_peculiar(on_page, sharing, all_codes, other, number)
                if theirs >= _MIN_FOLLOWED and has_theirs >= _MIN_ALL_SHARE * theirs:
                    return np.zeros(len(on_page), np.float64)
            continue
        if inherited < _MIN_INHERITED_SHARE * differing:
            for at in range(len(on_page)):
                common[at] |= has[other, on_page[at]]
        elif inherited >= _MIN_ALL_SHARE * differing and editions[other] == other:
            for at in range(len(on_page)):
                others[at] -= has[other, on_page[at]]
    own = np.empty(len(on_page), np.float64)
    for at in range(len(on_page)):
        own[at] = 0.0 if common[at] else tells[min(max(others[at], 0), len(tells) - 1)]
    return own


# When two works that a page shares text with are editions of one text: they have the same of it, and read alike.


_MIN_EDITION_SHARE = 0.3  # share of a work that the page has
_MIN_COMMON_LETTERS_SHARE = 0.9  # of the page's letters that either has, those that both have
_MIN_COMMON_GRAMS_SHARE = (
    0.75  # of the grams that either has, those that both have; a form differs in each of its slots
)
_GRAM_LENGTH = 4


def first_editions(works: Sequence[NDArray[np.uint8]], has: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each work, given by its letters, the first one that is the same text; itself where there is none.

    has: bool[works, letters of the page]: which of them each work has.
    """
    groups = np.arange(len(works))
    firsts: list[int] = []
    counts = has.sum(axis=1).tolist()
    for number, codes in enumerate(works):
        if counts[number] < _MIN_EDITION_SHARE * len(codes):
            continue
        same = next((first for first in firsts if _is_same_text(works[first], codes, has[first], has[number])), None)
        if same is None:
            firsts.append(number)
        else:
            groups[number] = same
    return groups


def _is_same_text(
    one: NDArray[np.uint8], other: NDArray[np.uint8], has_one: NDArray[np.bool_], has_other: NDArray[np.bool_]
) -> bool:
    """Whether two works are one text, by their letters and by those of the page that either has."""
    if (has_one & has_other).sum() < _MIN_COMMON_LETTERS_SHARE * (has_one | has_other).sum():
        return False
    some, others = _distinct_grams(one), _distinct_grams(other)
    both = len(np.intersect1d(some, others, assume_unique=True))
    return both >= _MIN_COMMON_GRAMS_SHARE * (len(some) + len(others) - both)


def _distinct_grams(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The different grams of a work."""
    size = max(0, len(codes) - _GRAM_LENGTH + 1)
    shifted = (codes[at : at + size].astype(np.int64) << (CODE_BITS * at) for at in range(_GRAM_LENGTH))
    return np.unique(sum(shifted, np.zeros(size, np.int64)))
