"""What a stretch of a page and a stretch of a work have in common that chance and the subject do not explain.

Both counts are logarithms of likelihoods (nats): how much more often a stretch that was told after another keeps a term
(`KEPT` of the time) than a stretch holds it anyway. What the page repeats around the stretch is its subject, and tells
little: forensic linguistics looks at words that both texts use once (Johnson 1997, Woolls and Coulthard 1998).
"""

from math import log1p
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matcher.rewriting.background import STRETCH, Background, character_places, pair_places
from matcher.rewriting.characters import Characters

KEPT = 0.1  # share of a work's terms that one told anew still has
AROUND = 800  # characters on either side of a stretch in which what the page repeats is its subject
_SINGLE = 14  # nats of single characters that weigh as much as 1 more of the logarithm of the shared words
_DIFFERENT = 7  # numbers of the page that the work has not that weigh as much

U32 = NDArray[np.uint32]
F32 = NDArray[np.float32]


class Stretch(NamedTuple):
    """Characters [begin, end) of a text."""

    begin: int
    end: int


class Run(NamedTuple):
    """A word or name that both stretches have: where in either text, and how long."""

    page: int
    work: int
    length: int


class Evidence(NamedTuple):
    """words, characters: nats of what is shared in runs of two characters and more, each word once, and in single
    characters. different: numbers and Latin words of the page that the work has nowhere. shared: those it has.
    elsewhere: nats of words that the rest of the page shares with the same stretch of the work, which is their subject.
    """

    page: Stretch
    work: Stretch
    words: float
    characters: float
    different: tuple[str, ...]
    shared: tuple[str, ...]
    runs: tuple[Run, ...]
    elsewhere: float = 0.0

    @property
    def score(self) -> float:
        """How much speaks for a rewriting. Names come in company, so the tenth tells less than the first."""
        return log1p(max(0.0, self.words - self.elsewhere)) + self.characters / _SINGLE - len(self.different) / _DIFFERENT


def weigh(page: Characters, work: Characters, place: Stretch, source: Stretch, background: Background) -> Evidence:
    """What a stretch of a page owes to a stretch of a work."""
    before, after = page.codes[max(0, place.begin - AROUND) : place.begin], page.codes[place.end : place.end + AROUND]
    around = np.concatenate((before, np.zeros(1, np.uint32), after))
    mine, theirs = page.codes[slice(*place)], work.codes[slice(*source)]
    words, single, found = _shared(
        mine,
        theirs,
        around,
        background.pairs[pair_places(mine[:-1], mine[1:])],
        background.characters[character_places(mine)],
    )
    told, known = _numbers_between(page, place, found), work.numbers()
    return Evidence(
        place,
        source,
        words,
        single,
        tuple(sorted(told - known)),
        tuple(sorted(told & known)),
        tuple(Run(place.begin + i, source.begin + j, length) for i, j, length in found.tolist()),
    )


def _numbers_between(page: Characters, place: Stretch, runs: NDArray[np.int64]) -> set[str]:
    """The numbers between the first and the last run: what lies before or behind is of something else."""
    if not len(runs):
        return set()
    return page.numbers(place.begin + int(runs[0, 0]), place.begin + int(runs[-1, 0] + runs[-1, 2]))


@njit("b1(u4)", cache=True)
def _is_han(code):  # type: ignore[no-untyped-def]  # compiled
    return 0x4E00 <= code <= 0x9FFF


@njit("f8(f8, i8, f8)", cache=True)
def _nats(share, repeats, stretches):  # type: ignore[no-untyped-def]  # compiled
    """What it tells that a term is kept. repeats: how often the page has it in `stretches` stretches around."""
    if repeats:
        share = 1 - (1 - share) * (1 - min(0.9, repeats / (stretches + 1)))
    return np.log(1 + KEPT * (1 / min(0.95, share) - 1))


@njit("Tuple((f8, f8, i8[:, ::1]))(u4[::1], u4[::1], u4[::1], f4[::1], f4[::1])", cache=True)
def _shared(page, work, around, pair_shares, character_shares):  # type: ignore[no-untyped-def]  # compiled
    n, m = len(page), len(work)
    stretches = (len(around) - 1) / STRETCH
    runs = np.empty((n, 3), np.int64)
    count, i = 0, 0
    in_run = np.zeros(n, np.bool_)
    while i < n - 1:
        best, at = 0, 0
        for j in range(m - 1):
            if page[i] == work[j] and page[i + 1] == work[j + 1] and page[i] and page[i + 1]:
                length = 2
                while i + length < n and j + length < m and page[i + length] == work[j + length] and page[i + length]:
                    length += 1
                if length > best:
                    best, at = length, j
        if best:
            runs[count, 0], runs[count, 1], runs[count, 2] = i, at, best
            in_run[i : i + best] = True
            count += 1
            i += best
        else:
            i += 1
    runs = runs[:count].copy()
    words = 0.0
    used = np.zeros(n, np.bool_)  # pairs of the page that a longer run has told
    for number in np.argsort(-runs[:, 2], kind="mergesort"):
        begin, length = runs[number, 0], runs[number, 2]
        best_nats = 0.0
        for k in range(begin, begin + length - 1):
            told = False
            for other in range(n - 1):
                if used[other] and page[other] == page[k] and page[other + 1] == page[k + 1]:
                    told = True
                    break
            if told:
                continue
            used[k] = True
            repeats = 0
            for other in range(len(around) - 1):
                if around[other] == page[k] and around[other + 1] == page[k + 1]:
                    repeats += 1
            best_nats = max(best_nats, _nats(pair_shares[k], repeats, stretches))
        words += best_nats
    single = 0.0
    for k in range(n):
        if in_run[k] or not _is_han(page[k]):
            continue
        told = False
        for other in range(n):
            if page[other] == page[k] and (other < k or in_run[other]):
                told = True
                break
        if told:
            continue
        kept = False
        for j in range(m):
            if work[j] == page[k]:
                kept = True
                break
        if not kept:
            continue
        repeats = 0
        for other in range(len(around)):
            if around[other] == page[k]:
                repeats += 1
        single += _nats(character_shares[k], repeats, stretches)
    return words, single, runs
