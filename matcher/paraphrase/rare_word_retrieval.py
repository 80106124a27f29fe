"""Retrieve the works that share rare words with a page."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from fingerprinter.compiled import compiled
from fingerprinter.features.hashing import absorb_value, finalize_hash
from fingerprinter.features.model import SEGMENT_LETTERS, Features
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.index.protocol import Hits, Index
from matcher.paraphrase.evidence import Portion
from matcher.paraphrase.plain_characters import PlainText

# The rarer words of a text as features of an index: by them the works are found that a text may be told after.


MAX_WORD_SHARE = 3e-5  # share of all words that one may have at most
POSITION_CHARACTERS = 16  # characters that share a position, so that a long text fits the index
DOCUMENT_CHARACTERS = SEGMENT_LETTERS * POSITION_CHARACTERS  # characters of one document of the index
_WORD_SEED = 0x776F726473


def extract_rare_words(text: PlainText) -> list[Features]:
    """The rare words of two characters and more, for each `DOCUMENT_CHARACTERS` of a text.

    Positions count units of `POSITION_CHARACTERS`.
    """
    codes = character_codes(text.text)
    begins, ends, logs = word_spans(codes)
    rare = (ends - begins > 1) & ((logs == 0) | (logs < np.log(MAX_WORD_SHARE)))
    begins, ends = begins[rare], ends[rare]
    values, worth = _hash_words(text.codes, begins, ends)
    begins, values = begins[worth], values[worth]
    cuts = np.searchsorted(begins, range(0, len(text) + DOCUMENT_CHARACTERS, DOCUMENT_CHARACTERS)).tolist()
    return [
        Features(
            values[first:last], (begins[first:last] % DOCUMENT_CHARACTERS // POSITION_CHARACTERS).astype(np.uint32)
        )
        for first, last in pairwise(cuts)
    ]


@compiled("Tuple((u8[::1], b1[::1]))(u4[::1], i8[::1], i8[::1])")
def _hash_words(codes, begins, ends):  # type: ignore[no-untyped-def]  # compiled
    """The hash of each word, and whether all of it is a word, which a run of signs is not."""
    values = np.empty(len(begins), np.uint64)
    worth = np.ones(len(begins), np.bool_)
    for number in range(len(begins)):
        state = np.uint64(_WORD_SEED)
        for at in range(begins[number], ends[number]):
            worth[number] &= codes[at] != 0
            state = absorb_value(state, np.uint64(codes[at]))
        values[number] = finalize_hash(state)
    return values, worth


MAX_QUERY_WORDS = 50_000  # of texts that are looked up at a time
MEAN_POSTINGS = 16  # postings of a word that are read, on average
MAX_DOCUMENTS = 16  # documents that are looked at closely
PAGE_STRETCH_CHARACTERS = 180  # characters of a page that are held against
WORK_STRETCH_CHARACTERS = 220  # characters of a work
_STRETCH_STEP = 48  # characters between one stretch and the next
_CELL_POSITIONS = _STRETCH_STEP // POSITION_CHARACTERS
_RECTANGLE_WIDTH, _RECTANGLE_HEIGHT = 4, 5  # cells of a rectangle


class RetrievedDocument(NamedTuple):
    """A document of the index with the stretch of the page and that of the document that share most. weight: what they
    share, in words that stand in no other document.
    """

    number: int
    page: Portion
    work: Portion
    weight: float


def retrieve_documents(
    index: Index, many: Sequence[Features], most: int = MAX_DOCUMENTS, least: float = 0.0
) -> list[list[RetrievedDocument]]:
    """For each of several texts the documents that share most rare words with one stretch of it, best first; none where
    the best has not this weight.

    many: the words of each, or of a piece of it (`extract_rare_words`). Raises what the index raises.
    """
    found: list[list[RetrievedDocument]] = []
    for some in _split_queries(many):
        asked = [Features(words.values, np.arange(len(words), dtype=np.uint32)) for words in some]
        hits = index.look_up_all(asked, mean=MEAN_POSTINGS)
        found += [_rank_hits(one, words, most, least) for one, words in zip(hits, some, strict=True)]
    return found


def _split_queries(many: Sequence[Features]) -> Iterator[Sequence[Features]]:
    """As many together as the memory bears what is found of them."""
    begin = words = 0
    for at, one in enumerate(many):
        if at > begin and words + len(one) > MAX_QUERY_WORDS:
            yield many[begin:at]
            begin, words = at, 0
        words += len(one)
    if begin < len(many):
        yield many[begin:]


def _rank_hits(hits: Hits, words: Features, most: int, least: float) -> list[RetrievedDocument]:
    """The documents that hits are of, as `retrieve_documents` gives them."""
    if not len(hits):
        return []
    documents = int(hits.numbers.max()) + 1  # numbers are given in their order, so this is nearly all of them
    kinds = np.unique(words.values, return_inverse=True)[1]
    cells = words.positions // np.uint32(_CELL_POSITIONS)
    whole = log(documents + 1)
    found, weights = _best_documents(
        hits.numbers, kinds, cells, hits.query_positions, hits.positions, documents, most, least * whole
    )
    return [
        RetrievedDocument(
            number,
            Portion(left * _STRETCH_STEP, left * _STRETCH_STEP + PAGE_STRETCH_CHARACTERS),
            Portion(low * _STRETCH_STEP, low * _STRETCH_STEP + WORK_STRETCH_CHARACTERS),
            weight / whole,
        )
        for (number, left, low), weight in zip(found.tolist(), weights.tolist(), strict=True)
    ]


@compiled("i8[::1](i8[::1])")
def _number_owners(numbers):  # type: ignore[no-untyped-def]  # compiled
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
def _word_rarity(word, owner, documents):  # type: ignore[no-untyped-def]  # compiled
    """f8[word]: what each word tells, the fewer documents hold it the more. word: ascending."""
    held = np.zeros(word[-1] + 1, np.int64)
    last = np.full(owner.max() + 1, -1, np.int64)
    for hit in range(len(word)):
        held[word[hit]] += last[owner[hit]] != word[hit]
        last[owner[hit]] = word[hit]
    return np.log((documents + 1) / np.maximum(1, held))


@compiled("f8[::1](i8[::1], i8[::1], f8[::1])")
def _owner_totals(word, owner, rarity):  # type: ignore[no-untyped-def]  # compiled
    """f8[owner]: what all words of a document that the page has tell together: no rectangle holds more."""
    totals = np.zeros(owner.max() + 1, np.float64)
    last = np.full(len(totals), -1, np.int64)
    for hit in range(len(word)):
        if last[owner[hit]] != word[hit]:
            totals[owner[hit]] += rarity[word[hit]]
        last[owner[hit]] = word[hit]
    return totals


@compiled("f8(i8[::1], i8[::1], i8[::1], f8[::1], i8, i8)")
def _rectangle_weight(word, page, work, rarity, left, low):  # type: ignore[no-untyped-def]  # compiled
    """What the words in a rectangle tell. A word counts once, however often either side repeats it. word: ascending."""
    total = 0.0
    last = -1
    for hit in range(len(word)):
        inside = left <= page[hit] < left + _RECTANGLE_WIDTH and low <= work[hit] < low + _RECTANGLE_HEIGHT
        if inside and word[hit] != last:
            total += rarity[word[hit]]
            last = word[hit]
    return total


@compiled("Tuple((f8, i8, i8))(i8[::1], i8[::1], i8[::1], f8[::1])")
def _find_best_rectangle(word, page, work, rarity):  # type: ignore[no-untyped-def]  # compiled
    """What the rectangle tells that holds most, and its corner; of several the first."""
    wide, high = page.max() + 1, work.max() + 1
    bounds = np.zeros((wide, high), np.float64)  # the same where each hit counts
    for hit in range(len(word)):
        for left in range(max(0, page[hit] - _RECTANGLE_WIDTH + 1), page[hit] + 1):
            for low in range(max(0, work[hit] - _RECTANGLE_HEIGHT + 1), work[hit] + 1):
                bounds[left, low] += rarity[word[hit]]
    first = bounds.argmax()
    least = _rectangle_weight(word, page, work, rarity, first // high, first % high)
    best, best_left, best_low = -1.0, 0, 0
    for left in range(wide):
        for low in range(high):
            if bounds[left, low] < least or bounds[left, low] <= best:
                continue
            held = _rectangle_weight(word, page, work, rarity, left, low)
            if held > best:
                best, best_left, best_low = held, left, low
    return best, best_left, best_low


@compiled("i8[::1](i8[::1], i8)")
def _group_order(kinds, count):  # type: ignore[no-untyped-def]  # compiled
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
def _select_promising(totals, some):  # type: ignore[no-untyped-def]  # compiled
    """The owners with the greatest totals, `some` and those that are their equals, the greatest first."""
    least = np.partition(totals, len(totals) - some)[len(totals) - some] if some < len(totals) else totals.min()
    found = np.flatnonzero(totals >= least)
    return found[np.argsort(-totals[found], kind="mergesort")]


@compiled("Tuple((i8[:,::1], f8[::1]))(u4[::1], i8[::1], u4[::1], u4[::1], u4[::1], i8, i8, f8)")
def _best_documents(numbers, kinds, cells, places, positions, documents, most, least):  # type: ignore[no-untyped-def]  # compiled
    """The documents with the fullest rectangles: number and corner of each, and what it holds; none where no rectangle
    holds `least`. kinds, cells: of the page's words; numbers, places, positions: of hits, places among these words.
    """
    by_word = _group_order(kinds[places], len(kinds))
    numbers = numbers[by_word].astype(np.int64)
    places = places[by_word]
    word, page = kinds[places], cells[places].astype(np.int64)
    work = positions[by_word].astype(np.int64) // _CELL_POSITIONS
    owner = _number_owners(numbers)
    rarity = _word_rarity(word, owner, documents)
    totals = _owner_totals(word, owner, rarity)
    hits = _group_order(owner, len(totals))  # each document's together, by word
    ends = np.cumsum(np.bincount(owner))
    found = np.empty((most, 3), np.int64)
    weights = np.full(most, -1.0)
    count, done, some = 0, 0, 4 * most
    while True:
        ranked = _select_promising(totals, some)
        for one in ranked[done:]:
            if count == most and totals[one] <= weights[-1]:
                return found, weights
            if totals[one] < least and (count == 0 or weights[0] < least):
                return found[:0].copy(), weights[:0].copy()
            mine = hits[(ends[one - 1] if one else 0) : ends[one]]
            weight, left, low = _find_best_rectangle(word[mine], page[mine], work[mine], rarity)
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
