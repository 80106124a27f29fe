"""Where in which works the rare words of a page stand together."""

from math import log
from typing import NamedTuple

import numpy as np

from fingerprinter.compiled import compiled
from fingerprinter.features.feature_arrays import Features
from matcher.index.port import Index
from matcher.suspicion.evidence import Portion
from matcher.suspicion.rare_words import GRAIN

MEAN = 16  # postings of a word that are read, on average
MOST = 16  # documents that are looked at closely
PAGE = 180  # characters of a page that are held against
WORK = 220  # characters of a work
_STEP = 48  # characters between one stretch and the next
_CELL = _STEP // GRAIN
_WIDE, _HIGH = 4, 5  # cells of a rectangle


class Retrieved(NamedTuple):
    """A document of the index with the stretch of the page and that of the document that share most. weight: what they
    share, in words that stand in no other document.
    """

    number: int
    page: Portion
    work: Portion
    weight: float


def retrieve(index: Index, words: Features, most: int = MOST, least: float = 0.0) -> list[Retrieved]:
    """The documents that share most rare words with one stretch of a page, best first; none where the best has not this
    weight.

    words: of the page, or of a piece of it (`rare_words`). Raises what the index raises.
    """
    hits = index.look_up(Features(words.values, np.arange(len(words), dtype=np.uint32)), mean=MEAN)
    if not len(hits):
        return []
    documents = int(hits.numbers.max()) + 1  # numbers are given in their order, so this is nearly all of them
    kinds = np.unique(words.values, return_inverse=True)[1]
    cells = words.positions // np.uint32(_CELL)
    whole = log(documents + 1)
    found = _best(hits.numbers, kinds, cells, hits.query_positions, hits.positions, documents, most, least * whole)
    return [
        Retrieved(
            int(number),
            Portion(int(left) * _STEP, int(left) * _STEP + PAGE),
            Portion(int(low) * _STEP, int(low) * _STEP + WORK),
            weight / whole,
        )
        for (number, left, low), weight in zip(*found, strict=True)
    ]


@compiled("i8[::1](i8[::1])")
def _owners(numbers):  # type: ignore[no-untyped-def]  # compiled
    """Documents counted from 0 in the order in which they come, one for each hit."""
    size = 16
    while size < 2 * len(numbers):
        size *= 2
    slots = np.full(size, -1, np.int64)
    known = np.empty(size, np.int64)
    owners = np.empty(len(numbers), np.int64)
    count = 0
    for hit in range(len(numbers)):
        slot = (numbers[hit] * 0x9E3779B1) & (size - 1)
        while slots[slot] >= 0 and slots[slot] != numbers[hit]:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot], known[slot] = numbers[hit], count
            count += 1
        owners[hit] = known[slot]
    return owners


@compiled("f8[::1](i8[::1], i8[::1], i8)")
def _rarity(word, owner, documents):  # type: ignore[no-untyped-def]  # compiled
    """f8[word]: what each word tells, the fewer documents hold it the more. word: ascending."""
    held = np.zeros(word[-1] + 1, np.int64)
    last = np.full(owner.max() + 1, -1, np.int64)
    for hit in range(len(word)):
        held[word[hit]] += last[owner[hit]] != word[hit]
        last[owner[hit]] = word[hit]
    return np.log((documents + 1) / np.maximum(1, held))


@compiled("f8[::1](i8[::1], i8[::1], f8[::1])")
def _totals(word, owner, rarity):  # type: ignore[no-untyped-def]  # compiled
    """f8[owner]: what all words of a document that the page has tell together: no rectangle holds more."""
    totals = np.zeros(owner.max() + 1, np.float64)
    last = np.full(len(totals), -1, np.int64)
    for hit in range(len(word)):
        if last[owner[hit]] != word[hit]:
            totals[owner[hit]] += rarity[word[hit]]
        last[owner[hit]] = word[hit]
    return totals


@compiled("f8(i8[::1], i8[::1], i8[::1], f8[::1], i8, i8)")
def _held(word, page, work, rarity, left, low):  # type: ignore[no-untyped-def]  # compiled
    """What the words in a rectangle tell. A word counts once, however often either side repeats it. word: ascending."""
    total = 0.0
    last = -1
    for hit in range(len(word)):
        inside = left <= page[hit] < left + _WIDE and low <= work[hit] < low + _HIGH
        if inside and word[hit] != last:
            total += rarity[word[hit]]
            last = word[hit]
    return total


@compiled("Tuple((f8, i8, i8))(i8[::1], i8[::1], i8[::1], f8[::1])")
def _best_rectangle(word, page, work, rarity):  # type: ignore[no-untyped-def]  # compiled
    """What the rectangle tells that holds most, and its corner; of several the first."""
    wide, high = page.max() + 1, work.max() + 1
    bounds = np.zeros((wide, high), np.float64)  # the same where each hit counts
    for hit in range(len(word)):
        for left in range(max(0, page[hit] - _WIDE + 1), page[hit] + 1):
            for low in range(max(0, work[hit] - _HIGH + 1), work[hit] + 1):
                bounds[left, low] += rarity[word[hit]]
    first = bounds.argmax()
    least = _held(word, page, work, rarity, first // high, first % high)
    best, best_left, best_low = -1.0, 0, 0
    for left in range(wide):
        for low in range(high):
            if bounds[left, low] < least or bounds[left, low] <= best:
                continue
            held = _held(word, page, work, rarity, left, low)
            if held > best:
                best, best_left, best_low = held, left, low
    return best, best_left, best_low


@compiled("i8[::1](i8[::1], i8)")
def _together(kinds, count):  # type: ignore[no-untyped-def]  # compiled
    """The order that puts those of a kind together, each kind's in the order in which they come."""
    following = np.zeros(count + 1, np.int64)
    for kind in kinds:
        following[kind + 1] += 1
    following = np.cumsum(following)
    order = np.empty(len(kinds), np.int64)
    for at in range(len(kinds)):
        order[following[kinds[at]]] = at
        following[kinds[at]] += 1
    return order


@compiled("i8[::1](f8[::1], i8)")
def _promising(totals, some):  # type: ignore[no-untyped-def]  # compiled
    """The owners with the greatest totals, `some` and those that are their equals, the greatest first."""
    least = np.partition(totals, len(totals) - some)[len(totals) - some] if some < len(totals) else totals.min()
    found = np.flatnonzero(totals >= least)
    return found[np.argsort(-totals[found], kind="mergesort")]


@compiled("Tuple((i8[:,::1], f8[::1]))(u4[::1], i8[::1], u4[::1], u4[::1], u4[::1], i8, i8, f8)")
def _best(numbers, kinds, cells, places, positions, documents, most, least):  # type: ignore[no-untyped-def]  # compiled
    """The documents with the fullest rectangles: number and corner of each, and what it holds; none where no rectangle
    holds `least`. kinds, cells: of the page's words; numbers, places, positions: of hits, places among these words.
    """
    by_word = _together(kinds[places], len(kinds))
    numbers = numbers[by_word].astype(np.int64)
    places = places[by_word]
    word, page = kinds[places], cells[places].astype(np.int64)
    work = positions[by_word].astype(np.int64) // _CELL
    owner = _owners(numbers)
    rarity = _rarity(word, owner, documents)
    totals = _totals(word, owner, rarity)
    hits = _together(owner, len(totals))  # each document's together, by word
    ends = np.cumsum(np.bincount(owner))
    found = np.empty((most, 3), np.int64)
    weights = np.full(most, -1.0)
    count, done, some = 0, 0, 4 * most
    while True:
        ranked = _promising(totals, some)
        for one in ranked[done:]:
            if count == most and totals[one] <= weights[-1]:
                return found, weights
            if totals[one] < least and (count == 0 or weights[0] < least):
                return found[:0].copy(), weights[:0].copy()
            mine = hits[(ends[one - 1] if one else 0) : ends[one]]
            weight, left, low = _best_rectangle(word[mine], page[mine], work[mine], rarity)
            at = count
            while at > 0 and weights[at - 1] < weight:
                at -= 1
            if at == most:
                continue
            for below in range(min(count, most - 1), at, -1):
                weights[below], found[below] = weights[below - 1], found[below - 1]
            weights[at] = weight
            found[at, 0], found[at, 1], found[at, 2] = numbers[mine[0]], left, low
            count = min(most, count + 1)
        done, some = len(ranked), 4 * some
        if done == len(totals):
            return found[:count].copy(), weights[:count].copy()
