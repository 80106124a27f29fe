"""Weigh what a stretch of a page shares with a stretch of a work.

Both weights are logarithms of likelihood ratios (nats). They compare how often a paraphrase retains a term
(`RETENTION_RATE`) with how often any stretch holds it. Terms that the page repeats around the stretch are its subject,
and are weak evidence. Forensic linguistics uses words that both texts use once (Johnson 1997, Woolls and Coulthard
1998).
"""

from math import inf, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.paraphrase.plain_characters import STRETCH_CHARACTERS, Background, PlainText, bigram_slot

RETENTION_RATE = 0.1  # share of a work's terms that a paraphrase retains
CONTEXT_CHARACTERS = 800  # characters on either side of a stretch in which repeated terms are its subject
_SINGLE_CHARACTER_NATS = 14  # nats of single characters that weigh as much as 1 in the logarithm of shared words
_BIGRAM_SLOTS = 512  # slots for the bigrams of a stretch
_DIFFERENT_NUMBERS = 5  # numbers only on the page that cancel as much
# Cosine of two stretches' characters from which their wording is alike, as in two translations of one text, its weight
# in the score, and the different numbers up to which it counts, as forms are alike and differ in their numbers.
_MIN_ALIKE_COSINE, _ALIKE_WEIGHT, _MAX_ALIKE_DIFFERENT = 0.4, 4.0, 1
_FIRST_HAN, _HAN_COUNT = 0x4E00, 0x5200  # first and number of the characters that count singly


class Portion(NamedTuple):
    """Characters [begin, end) of a text."""

    begin: int
    end: int


class SharedRun(NamedTuple):
    """A word or name of both stretches: its offset in either text, and its length."""

    page: int
    work: int
    length: int


class Evidence(NamedTuple):
    """The evidence that a stretch of a page paraphrases a stretch of a work.

    words, characters: nats of terms shared in runs of two characters or more, each word once, and in single characters.
    different: numbers and Latin words of the page that the work has nowhere. shared: those that it has. elsewhere: nats
    of words that the rest of either text shares with the stretch of the other, their subject. likeness: cosine of the
    characters of both stretches, each once, by their rarity. It lowers for what either side has alone.
    """

    page: Portion
    work: Portion
    words: float
    characters: float
    different: tuple[str, ...]
    shared: tuple[str, ...]
    runs: tuple[SharedRun, ...]
    elsewhere: float = 0.0
    likeness: float = 0.0

    @property
    def score(self) -> float:
        """The score of a paraphrase, by content and by likeness."""
        alike = len(self.different) <= _MAX_ALIKE_DIFFERENT
        return self.content_score + (_likeness_score(self.likeness) if alike else 0.0)

    @property
    def content_score(self) -> float:
        """The score without likeness. Names come together, so the tenth adds less than the first."""
        return (
            log1p(max(0.0, self.words - self.elsewhere))
            + self.characters / _SINGLE_CHARACTER_NATS
            - len(self.different) / _DIFFERENT_NUMBERS
        )


def _likeness_score(likeness: float) -> float:
    return _ALIKE_WEIGHT * max(0.0, likeness - _MIN_ALIKE_COSINE)


def weigh_evidence(
    page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background
) -> Evidence:
    """Weigh what a stretch of a page owes to a stretch of a work."""
    evidence = weigh_evidence_above(page, work, place, source, background, -inf)
    assert evidence is not None  # every score is above -inf
    return evidence


def weigh_evidence_above(
    page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background, min_score: float
) -> Evidence | None:
    """Weigh the same, or return None, at little cost, where the score cannot exceed `min_score`."""
    words, single, likeness, runs = _weigh_stretch(
        page.codes, *place, work.codes[slice(*source)], background.characters, background.bigrams
    )
    most = log1p(max(0.0, words)) + single / _SINGLE_CHARACTER_NATS + _likeness_score(likeness)
    if most <= min_score:  # all other terms lower the score
        return None
    page_numbers = _numbers_between(page, place, runs)
    in_work = {number for number in page_numbers if number in work.text}  # as a number, or inside another
    known = in_work & work.all_numbers if in_work else in_work
    return Evidence(
        place,
        source,
        words,
        single,
        tuple(sorted(page_numbers - known)),
        tuple(sorted(page_numbers & known)),
        tuple(SharedRun(place.begin + i, source.begin + j, length) for i, j, length in runs.tolist()),
        likeness=likeness,
    )


def weigh_words(page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background) -> float:
    """Compute only `Evidence.words` of two stretches."""
    runs = _shared_runs(page.codes[slice(*place)], work.codes[slice(*source)])
    return float(_word_nats(page.codes, *place, background.bigrams, runs))


def find_shared_runs(page: PlainText, work: PlainText, place: Portion, source: Portion) -> list[SharedRun]:
    """Return the longest runs of two characters or more that two stretches share, in the order of the page."""
    runs = _shared_runs(page.codes[slice(*place)], work.codes[slice(*source)])
    return [SharedRun(place.begin + i, source.begin + j, length) for i, j, length in runs.tolist()]


def count_shared_characters(first: PlainText, second: PlainText, place: Portion, source: Portion) -> int:
    """Count the characters that two stretches share in runs."""
    return int(_shared_runs(first.codes[slice(*place)], second.codes[slice(*source)])[:, 2].sum())


def _numbers_between(page: PlainText, place: Portion, runs: NDArray[np.int64]) -> set[str]:
    """Return the numbers between the first and the last run, as those outside belong to other text."""
    if not len(runs):
        return set()
    return page.numbers(place.begin + int(runs[0, 0]), place.begin + int(runs[-1, 0] + runs[-1, 2]))


@compiled("b1(u4)")
def _is_han(code):  # type: ignore[no-untyped-def]  # compiled
    return _FIRST_HAN <= code < _FIRST_HAN + _HAN_COUNT


@compiled("f8(f8, i8, f8)")
def _term_nats(share, repeats, stretches):  # type: ignore[no-untyped-def]  # compiled
    """Return the nats of a retained term. repeats: its count in `stretches` stretches around."""
    if repeats:
        share = 1 - (1 - share) * (1 - min(0.9, repeats / (stretches + 1)))
    return np.log(1 + RETENTION_RATE * (1 / min(0.95, share) - 1))


@compiled("i8(u4, u4)")
def _bigram_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Return the slot of a bigram in the index of `_index_bigrams`."""
    return (first * 31 + second) & (_BIGRAM_SLOTS - 1)


@compiled("UniTuple(i4[::1], 2)(u4[::1])")
def _index_bigrams(codes):  # type: ignore[no-untyped-def]  # compiled
    """Index the bigrams: first offset of each slot, and the offset behind each offset, plus 1, 0 for none."""
    heads = np.zeros(_BIGRAM_SLOTS, np.int32)
    next_offsets = np.zeros(len(codes), np.int32)
    for offset in range(len(codes) - 2, -1, -1):
        slot = _bigram_slot(codes[offset], codes[offset + 1])
        next_offsets[offset], heads[slot] = heads[slot], offset + 1
    return heads, next_offsets


@compiled("i8[:, ::1](u4[::1], u4[::1])")
def _shared_runs(page, work):  # type: ignore[no-untyped-def]  # compiled
    """Return the longest shared runs of two characters or more: i8[n, 3] (page, work, length)."""
    heads, next_offsets = _index_bigrams(work)
    runs = np.empty((len(page), 3), np.int64)
    count, offset = 0, 0
    while offset < len(page) - 1:
        best, best_offset = 0, 0
        work_offset = heads[_bigram_slot(page[offset], page[offset + 1])] - 1
        while work_offset >= 0:
            length = 0
            while (
                offset + length < len(page)
                and work_offset + length < len(work)
                and page[offset + length] == work[work_offset + length]
                and page[offset + length]
            ):
                length += 1
            if length > max(1, best):
                best, best_offset = length, work_offset
            work_offset = next_offsets[work_offset] - 1
        if best:
            runs[count, 0], runs[count, 1], runs[count, 2] = offset, best_offset, best
            count += 1
        offset += max(1, best)
    return runs[:count].copy()


@compiled("UniTuple(i8, 2)(u4[::1], i8, i8)")
def _context_bounds(codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Return the bounds of the context around a stretch."""
    return max(0, begin - CONTEXT_CHARACTERS), min(len(codes), end + CONTEXT_CHARACTERS)


@compiled("i8[::1](u4[::1], i8, i8, i4[::1], i4[::1])")
def _count_repeats(codes, begin, end, heads, next_offsets):  # type: ignore[no-untyped-def]  # compiled
    """Count each bigram of a stretch in its context. heads, next_offsets: `_index_bigrams` of the stretch."""
    left, right = _context_bounds(codes, begin, end)
    repeats = np.zeros(end - begin, np.int64)
    for first, last in ((left, begin - 1), (end, right - 1)):
        for offset in range(first, last):
            inner = heads[_bigram_slot(codes[offset], codes[offset + 1])] - 1
            while inner >= 0:
                repeats[inner] += (
                    codes[begin + inner] == codes[offset] and codes[begin + inner + 1] == codes[offset + 1]
                )
                inner = next_offsets[inner] - 1
    return repeats


@compiled("f8(u4[::1], i8, i8, f4[::1], i8[:, ::1])")
def _word_nats(codes, begin, end, bigrams, runs):  # type: ignore[no-untyped-def]  # compiled
    """Sum the nats of the runs of a stretch of the page, the longest first.

    Each run adds those of its rarest bigram that no earlier run has counted.
    """
    if not len(runs):
        return 0.0
    page = codes[begin:end]
    left, right = _context_bounds(codes, begin, end)
    stretches = (begin - left + right - end) / STRETCH_CHARACTERS
    heads, next_offsets = _index_bigrams(page)
    repeats = _count_repeats(codes, begin, end, heads, next_offsets)
    counted = np.zeros(len(page), np.bool_)
    total = 0.0
    for number in np.argsort(-runs[:, 2], kind="mergesort"):
        best = 0.0
        for offset in range(runs[number, 0], runs[number, 0] + runs[number, 2] - 1):
            if counted[offset]:
                continue
            equal = heads[_bigram_slot(page[offset], page[offset + 1])] - 1
            while equal >= 0:
                counted[equal] |= page[equal] == page[offset] and page[equal + 1] == page[offset + 1]
                equal = next_offsets[equal] - 1
            best = max(
                best, _term_nats(bigrams[bigram_slot(page[offset], page[offset + 1])], repeats[offset], stretches)
            )
        total += best
    return total


@compiled("f8(u4[::1], i8, i8, u4[::1], f4[::1], i8[:, ::1])")
def _character_nats(codes, begin, end, work, shares, runs):  # type: ignore[no-untyped-def]  # compiled
    """Sum the nats of the characters outside the runs in a stretch of the page and the work, each once."""
    left, right = _context_bounds(codes, begin, end)
    stretches = (begin - left + right - end) / STRETCH_CHARACTERS
    in_work, counted = np.zeros(_HAN_COUNT, np.bool_), np.zeros(_HAN_COUNT, np.bool_)
    repeats = np.zeros(_HAN_COUNT, np.int16)
    for code in work:
        if _is_han(code):
            in_work[code - _FIRST_HAN] = True
    for offset in range(left, right):
        if _is_han(codes[offset]) and not begin <= offset < end:
            repeats[codes[offset] - _FIRST_HAN] += 1
    page = codes[begin:end]
    in_runs = np.zeros(len(page), np.bool_)
    for number in range(len(runs)):
        for offset in range(runs[number, 0], runs[number, 0] + runs[number, 2]):
            in_runs[offset] = True
            if _is_han(page[offset]):
                counted[page[offset] - _FIRST_HAN] = True
    total = 0.0
    for offset in range(len(page)):
        if in_runs[offset] or not _is_han(page[offset]):
            continue
        han = page[offset] - _FIRST_HAN
        if in_work[han] and not counted[han]:
            counted[han] = True
            total += _term_nats(shares[page[offset]], repeats[han], stretches)
    return total


@compiled("f8(u4[::1], u4[::1], f4[::1])")
def _character_cosine(page, work, shares):  # type: ignore[no-untyped-def]  # compiled
    """Return the cosine of the Han characters of two stretches, each once, weighed by the logarithm of its rarity."""
    side = np.zeros(_HAN_COUNT, np.uint8)  # bit 1: of the page, bit 2: of the work
    squares = np.zeros(4, np.float64)  # sums by these bits
    for code in page:
        if _is_han(code):
            side[code - _FIRST_HAN] |= 1
    for code in work:
        if _is_han(code):
            side[code - _FIRST_HAN] |= 2
    for stretch in (page, work):
        for code in stretch:
            if _is_han(code) and side[code - _FIRST_HAN]:
                squares[side[code - _FIRST_HAN]] += np.log(min(1.0, shares[code])) ** 2
                side[code - _FIRST_HAN] = 0
    lengths = (squares[1] + squares[3]) * (squares[2] + squares[3])
    return squares[3] / np.sqrt(lengths) if lengths > 0 else 0.0


@compiled("Tuple((f8, f8, f8, i8[:, ::1]))(u4[::1], i8, i8, u4[::1], f4[::1], f4[::1])")
def _weigh_stretch(codes, begin, end, work, characters, bigrams):  # type: ignore[no-untyped-def]  # compiled
    """Return the nats of words and of characters, the cosine of characters, and the runs of two stretches."""
    runs = _shared_runs(codes[begin:end], work)
    words = _word_nats(codes, begin, end, bigrams, runs)
    single = _character_nats(codes, begin, end, work, characters, runs)
    return words, single, _character_cosine(codes[begin:end], work, characters), runs
