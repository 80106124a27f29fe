"""Weigh what a stretch of a page shares with a stretch of a work.

Both counts are logarithms of likelihoods (nats): how much more often a stretch that was told after another keeps a term
(`RETENTION_RATE` of the time) than a stretch holds it anyway. What the page repeats around the stretch is its subject,
and tells little: forensic linguistics looks at words that both texts use once (Johnson 1997, Woolls and Coulthard
1998).
"""

from math import inf, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.paraphrase.background_frequencies import STRETCH_CHARACTERS, Background, pair_place
from matcher.paraphrase.plain_characters import PlainText

RETENTION_RATE = 0.1  # share of a work's terms that one told anew still has
CONTEXT_CHARACTERS = 800  # characters on either side of a stretch in which what the page repeats is its subject
_SINGLE_CHARACTER_NATS = (
    14  # nats of single characters that weigh as much as 1 more of the logarithm of the shared words
)
_PAIR_SLOTS = 512  # of the pairs of a stretch
_DIFFERENT_NUMBERS = 5  # numbers of the page that the work has not that weigh as much
_FIRST_HAN, _HAN_COUNT = 0x4E00, 0x5200  # the first of the characters that count singly, and how many they are


class Portion(NamedTuple):
    """Characters [begin, end) of a text."""

    begin: int
    end: int


class SharedRun(NamedTuple):
    """A word or name that both stretches have: where in either text, and how long."""

    page: int
    work: int
    length: int


class Evidence(NamedTuple):
    """words, characters: nats of what is shared in runs of two characters and more, each word once, and in single
    characters. different: numbers and Latin words of the page that the work has nowhere. shared: those it has.
    elsewhere: nats of words that the rest of the page shares with the same stretch of the work, which is their subject.
    """

    page: Portion
    work: Portion
    words: float
    characters: float
    different: tuple[str, ...]
    shared: tuple[str, ...]
    runs: tuple[SharedRun, ...]
    elsewhere: float = 0.0

    @property
    def score(self) -> float:
        """How much speaks for a rewriting. Names come in company, so the tenth tells less than the first."""
        return (
            log1p(max(0.0, self.words - self.elsewhere))
            + self.characters / _SINGLE_CHARACTER_NATS
            - len(self.different) / _DIFFERENT_NUMBERS
        )


def weigh_evidence(
    page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background
) -> Evidence:
    """What a stretch of a page owes to a stretch of a work."""
    evidence_above = weigh_evidence_above(page, work, place, source, background, -inf)
    assert evidence_above is not None  # everything weighs more
    return evidence_above


def weigh_evidence_above(
    page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background, least: float
) -> Evidence | None:
    """The same; None, at the price of little, where the score cannot be above this."""
    words, single, found = _weigh_stretch(
        page.codes, *place, work.codes[slice(*source)], background.characters, background.pairs
    )
    if log1p(max(0.0, words)) + single / _SINGLE_CHARACTER_NATS <= least:  # what else there is speaks against
        return None
    told = _numbers_between(page, place, found)
    there = {number for number in told if number in work.text}  # as one, or as part of another
    known = there & work.all_numbers if there else there
    return Evidence(
        place,
        source,
        words,
        single,
        tuple(sorted(told - known)),
        tuple(sorted(told & known)),
        tuple(SharedRun(place.begin + i, source.begin + j, length) for i, j, length in found.tolist()),
    )


def weigh_words(page: PlainText, work: PlainText, place: Portion, source: Portion, background: Background) -> float:
    """`Evidence.words` of two stretches alone."""
    runs = _shared_runs(page.codes[slice(*place)], work.codes[slice(*source)])
    return float(_word_nats(page.codes, *place, background.pairs, runs))


def count_shared_characters(one: PlainText, other: PlainText, place: Portion, source: Portion) -> int:
    """How many characters two stretches have in common in runs."""
    return int(_shared_runs(one.codes[slice(*place)], other.codes[slice(*source)])[:, 2].sum())


def _numbers_between(page: PlainText, place: Portion, runs: NDArray[np.int64]) -> set[str]:
    """The numbers between the first and the last run: what lies before or behind is of something else."""
    if not len(runs):
        return set()
    return page.numbers(place.begin + int(runs[0, 0]), place.begin + int(runs[-1, 0] + runs[-1, 2]))


@compiled("b1(u4)")
def _is_han(code):  # type: ignore[no-untyped-def]  # compiled
    return _FIRST_HAN <= code < _FIRST_HAN + _HAN_COUNT


@compiled("f8(f8, i8, f8)")
def _term_nats(share, repeats, stretches):  # type: ignore[no-untyped-def]  # compiled
    """What it tells that a term is kept. repeats: how often the page has it in `stretches` stretches around."""
    if repeats:
        share = 1 - (1 - share) * (1 - min(0.9, repeats / (stretches + 1)))
    return np.log(1 + RETENTION_RATE * (1 / min(0.95, share) - 1))


@compiled("i8(u4, u4)")
def _pair_slot(first, second):  # type: ignore[no-untyped-def]  # compiled
    """Where the pairs begin that may be this one; see `_index_pairs`."""
    return (first * 31 + second) & (_PAIR_SLOTS - 1)


@compiled("UniTuple(i4[::1], 2)(u4[::1])")
def _index_pairs(codes):  # type: ignore[no-untyped-def]  # compiled
    """Where pairs of characters stand: the first place behind each slot and after each place, one up; 0 for none."""
    heads = np.zeros(_PAIR_SLOTS, np.int32)
    following = np.zeros(len(codes), np.int32)
    for place in range(len(codes) - 2, -1, -1):
        slot = _pair_slot(codes[place], codes[place + 1])
        following[place], heads[slot] = heads[slot], place + 1
    return heads, following


@compiled("i8[:, ::1](u4[::1], u4[::1])")
def _shared_runs(page, work):  # type: ignore[no-untyped-def]  # compiled
    """What both have in runs of two characters and more, each as long as can be: i8[n, 3] (page, work, length)."""
    heads, following = _index_pairs(work)
    runs = np.empty((len(page), 3), np.int64)
    count, at = 0, 0
    while at < len(page) - 1:
        best, where = 0, 0
        there = heads[_pair_slot(page[at], page[at + 1])] - 1
        while there >= 0:
            length = 0
            while (
                at + length < len(page)
                and there + length < len(work)
                and page[at + length] == work[there + length]
                and page[at + length]
            ):
                length += 1
            if length > max(1, best):
                best, where = length, there
            there = following[there] - 1
        if best:
            runs[count, 0], runs[count, 1], runs[count, 2] = at, where, best
            count += 1
        at += max(1, best)
    return runs[:count].copy()


@compiled("UniTuple(i8, 2)(u4[::1], i8, i8)")
def _context_bounds(codes, begin, end):  # type: ignore[no-untyped-def]  # compiled
    """Where what stands around a stretch begins, and ends."""
    return max(0, begin - CONTEXT_CHARACTERS), min(len(codes), end + CONTEXT_CHARACTERS)


@compiled("i8[::1](u4[::1], i8, i8, i4[::1], i4[::1])")
def _count_repeats(codes, begin, end, heads, following):  # type: ignore[no-untyped-def]  # compiled
    """How often each pair of a stretch stands around it. heads, following: `_index_pairs` of the stretch."""
    left, right = _context_bounds(codes, begin, end)
    repeats = np.zeros(end - begin, np.int64)
    for first, last in ((left, begin - 1), (end, right - 1)):
        for at in range(first, last):
            there = heads[_pair_slot(codes[at], codes[at + 1])] - 1
            while there >= 0:
                repeats[there] += codes[begin + there] == codes[at] and codes[begin + there + 1] == codes[at + 1]
                there = following[there] - 1
    return repeats


@compiled("f8(u4[::1], i8, i8, f4[::1], i8[:, ::1])")
def _word_nats(codes, begin, end, pairs, runs):  # type: ignore[no-untyped-def]  # compiled
    """Nats of the runs of a stretch of the page, the longest first: each tells what its rarest pair does that no other
    run has told.
    """
    if not len(runs):
        return 0.0
    page = codes[begin:end]
    left, right = _context_bounds(codes, begin, end)
    stretches = (begin - left + right - end) / STRETCH_CHARACTERS
    heads, following = _index_pairs(page)
    repeats = _count_repeats(codes, begin, end, heads, following)
    told = np.zeros(len(page), np.bool_)
    total = 0.0
    for number in np.argsort(-runs[:, 2], kind="mergesort"):
        best = 0.0
        for at in range(runs[number, 0], runs[number, 0] + runs[number, 2] - 1):
            if told[at]:
                continue
            there = heads[_pair_slot(page[at], page[at + 1])] - 1
            while there >= 0:
                told[there] |= page[there] == page[at] and page[there + 1] == page[at + 1]
                there = following[there] - 1
            best = max(best, _term_nats(pairs[pair_place(page[at], page[at + 1])], repeats[at], stretches))
        total += best
    return total


@compiled("f8(u4[::1], i8, i8, u4[::1], f4[::1], i8[:, ::1])")
def _character_nats(codes, begin, end, work, shares, runs):  # type: ignore[no-untyped-def]  # compiled
    """Nats of the characters that a stretch of the page and the work have outside the runs, each once."""
    left, right = _context_bounds(codes, begin, end)
    stretches = (begin - left + right - end) / STRETCH_CHARACTERS
    there, told = np.zeros(_HAN_COUNT, np.bool_), np.zeros(_HAN_COUNT, np.bool_)
    repeats = np.zeros(_HAN_COUNT, np.int16)
    for code in work:
        if _is_han(code):
            there[code - _FIRST_HAN] = True
    for at in range(left, right):
        if _is_han(codes[at]) and not begin <= at < end:
            repeats[codes[at] - _FIRST_HAN] += 1
    page = codes[begin:end]
    done = np.zeros(len(page), np.bool_)
    for number in range(len(runs)):
        for at in range(runs[number, 0], runs[number, 0] + runs[number, 2]):
            done[at] = True
            if _is_han(page[at]):
                told[page[at] - _FIRST_HAN] = True
    total = 0.0
    for at in range(len(page)):
        if done[at] or not _is_han(page[at]):
            continue
        han = page[at] - _FIRST_HAN
        if there[han] and not told[han]:
            told[han] = True
            total += _term_nats(shares[page[at]], repeats[han], stretches)
    return total


@compiled("Tuple((f8, f8, i8[:, ::1]))(u4[::1], i8, i8, u4[::1], f4[::1], f4[::1])")
def _weigh_stretch(codes, begin, end, work, characters, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Nats of words and characters, and the runs, of a stretch of the page and the work's."""
    runs = _shared_runs(codes[begin:end], work)
    words = _word_nats(codes, begin, end, pairs, runs)
    return words, _character_nats(codes, begin, end, work, characters, runs), runs
