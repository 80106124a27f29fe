"""Determine which initials of a page each work has, and which works are editions of one text.

This module counts, compiled. `matcher.attribution.text_of_several_works` has the reasons. Two works are editions of one
text where they share the same of the page, and have nearly the same grams.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS
from fingerprinter.compiled import compiled

_MIN_PECULIAR = 8  # differing initials of two works from which the page shows which it inherits
_MIN_FOLLOWED = 3  # the same where the page has all of one work's and none of the other's
_MIN_INHERITED_SHARE = 0.5  # inherited share of these below which the page owes shared text to neither work
_MIN_ALL_SHARE = 0.9  # inherited share from which the page owes it to this work, whatever the other one shares
_MIN_WHOLE_SHARE = 0.9  # share of a work from which it was copied whole, and all its initials are compared
_MAX_SLOT_INITIALS = 48  # initials between two that all three share, up to which they stand in one slot


@compiled("Tuple((i4[::1], i4[:,::1]))(i4[:,::1], i8[::1])")
def find_shared_letters(agreed, ends):  # type: ignore[no-untyped-def]  # compiled
    """Return the page's initials that any work has, ascending, i32[n], and each work's partner of each of them.

    The partners are i32[works, n], -1 where the work has none. agreed: i32[k, 2], work after work, those of work i up
    to ends[i].
    """
    first = agreed[:, 0].min() if len(agreed) else 0
    columns = np.full(agreed[:, 0].max() + 1 - first if len(agreed) else 0, -1, np.int32)  # from the first initial on
    for row in range(len(agreed)):
        columns[agreed[row, 0] - first] = 0
    pages = np.flatnonzero(columns == 0).astype(np.int32)
    for column in range(len(pages)):
        columns[pages[column]] = column
    pages += np.int32(first)
    work_initials = np.full((len(ends), len(pages)), -1, np.int32)
    row = 0
    for work in range(len(ends)):
        while row < ends[work]:
            work_initials[work, columns[agreed[row, 0] - first]] = agreed[row, 1]
            row += 1
    return pages, work_initials


@compiled("i8[::1](b1[:,::1], i8[::1])")
def count_other_works(has, editions):  # type: ignore[no-untyped-def]  # compiled
    """Count the works that have each initial, beyond the first. Editions of one text count once."""
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
def _count_variants(on_page, pages, own_initials, codes, their_initials, their_codes):  # type: ignore[no-untyped-def]  # compiled
    """Count a work's variants between initials that it and another work share with the page.

    Return the number of initials that differ between the two works, and how many of them the page has.
    """
    differing = 0
    inherited = 0
    last = -1
    for column in on_page:
        if their_initials[column] < 0 or own_initials[column] < 0:
            continue
        begin, end = own_initials[last] + 1, own_initials[column]
        their_begin, their_end = their_initials[last] + 1, their_initials[column]
        between = pages[column] - pages[last] - 1
        is_one_slot = max(end - begin, their_end - their_begin, between) <= _MAX_SLOT_INITIALS
        if last >= 0 and begin <= end and their_begin <= their_end and is_one_slot:
            while begin < end and their_begin < their_end and codes[begin] == their_codes[their_begin]:
                begin += 1
                their_begin += 1
            while begin < end and their_begin < their_end and codes[end - 1] == their_codes[their_end - 1]:
                end -= 1
                their_end -= 1
            if begin < end:
                differing += end - begin
                for between_column in range(last + 1, column):
                    inherited += begin <= own_initials[between_column] < end
            else:  # it omits what the other work has
                differing += their_end - their_begin
                inherited += 0 if between else their_end - their_begin
        last = column
    return differing, inherited


_SHARING_TYPE = "Tuple((i4[::1], i4[:,::1], b1[:,::1], i8[::1], i8[::1], i8[::1]))"
_ALL_CODES = "Tuple((u1[::1], i8[::1]))"


@compiled(f"UniTuple(i8, 2)({_I4}, {_SHARING_TYPE}, {_ALL_CODES}, i8, i8)")
def _count_peculiar(on_page, sharing, all_codes, number, other):  # type: ignore[no-untyped-def]  # compiled
    """Count the initials that a work has and another one has not, and how many of them the page has."""
    pages, work_initials, has, counts, _, _ = sharing
    codes, starts = all_codes
    length = starts[number + 1] - starts[number]
    if counts[number] >= _MIN_WHOLE_SHARE * length:
        both = 0
        for column in range(len(pages)):
            both += has[other, column] and has[number, column]
        return length - both, counts[number] - both
    own_codes = codes[starts[number] : starts[number + 1]]
    other_codes = codes[starts[other] : starts[other + 1]]
    return _count_variants(on_page, pages, work_initials[number], own_codes, work_initials[other], other_codes)


@compiled(f"f8[::1](i4[::1], {_SHARING_TYPE}, {_ALL_CODES}, i8, b1, f8[::1])")
def weigh_own_letters(agreed, sharing, all_codes, number, with_rivals, weights):  # type: ignore[no-untyped-def]  # compiled
    """Return the weight of each initial of a passage as evidence for its work: f64[k].

    agreed: initials of the page, ascending. sharing: pages, work initials, has, counts, editions and others of
    `LetterSharing`. all_codes: concatenated initials of all works, and the offset of each work. with_rivals: whether
    works may have their initials from a third text. weights: weight of an initial by the number of other works that
    have it.
    """
    pages, _, has, _, editions, others_of_all = sharing
    on_page = np.searchsorted(pages, agreed).astype(np.int32)
    others = others_of_all[on_page]
    common = np.zeros(len(on_page), np.bool_)
    for other in range(has.shape[0] if with_rivals else 0):
        shares_any, shares_all = False, True
        for column in on_page:
            shares_any |= has[other, column]
            shares_all &= has[other, column]
        if not shares_any or editions[other] == editions[number]:
            continue
        differing, inherited = _count_peculiar(on_page, sharing, all_codes, number, other)
        if differing < _MIN_PECULIAR:
            if differing >= _MIN_FOLLOWED and not inherited and shares_all:
                their_count, their_inherited = _count_peculiar(on_page, sharing, all_codes, other, number)
                if their_count >= _MIN_FOLLOWED and their_inherited >= _MIN_ALL_SHARE * their_count:
                    return np.zeros(len(on_page), np.float64)
            continue
        if inherited < _MIN_INHERITED_SHARE * differing:
            for index in range(len(on_page)):
                common[index] |= has[other, on_page[index]]
        elif inherited >= _MIN_ALL_SHARE * differing and editions[other] == other:
            for index in range(len(on_page)):
                others[index] -= has[other, on_page[index]]
    own = np.empty(len(on_page), np.float64)
    for index in range(len(on_page)):
        own[index] = 0.0 if common[index] else weights[min(max(others[index], 0), len(weights) - 1)]
    return own


_MIN_EDITION_SHARE = 0.3  # share of a work that the page has
_MIN_COMMON_INITIALS_SHARE = 0.9  # of the page's initials that either work has, the share that both have
_MIN_COMMON_GRAMS_SHARE = 0.75  # of the grams that either work has, the share that both have; forms differ in each slot
_GRAM_LENGTH = 4


def first_editions(works: Sequence[NDArray[np.uint8]], has: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each work, given by its initials, the first work with the same text, or its own number.

    has: bool[works, initials of the page], which of them each work has.
    """
    groups = np.arange(len(works))
    firsts: list[int] = []
    counts = has.sum(axis=1).tolist()
    for number, codes in enumerate(works):
        if counts[number] < _MIN_EDITION_SHARE * len(codes):
            continue
        edition = next((first for first in firsts if _is_same_text(works[first], codes, has[first], has[number])), None)
        if edition is None:
            firsts.append(number)
        else:
            groups[number] = edition
    return groups


def _is_same_text(
    first: NDArray[np.uint8], second: NDArray[np.uint8], has_first: NDArray[np.bool_], has_second: NDArray[np.bool_]
) -> bool:
    """Whether two works are one text, by their initials and by those of the page that either has."""
    if (has_first & has_second).sum() < _MIN_COMMON_INITIALS_SHARE * (has_first | has_second).sum():
        return False
    a, b = _distinct_grams(first), _distinct_grams(second)
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both >= _MIN_COMMON_GRAMS_SHARE * (len(a) + len(b) - both)


def _distinct_grams(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the distinct grams of a work."""
    size = max(0, len(codes) - _GRAM_LENGTH + 1)
    shifted = (codes[index : index + size].astype(np.int64) << (CODE_BITS * index) for index in range(_GRAM_LENGTH))
    return np.unique(sum(shifted, np.zeros(size, np.int64)))
