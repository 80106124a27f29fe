"""Retrieve the works that share rare words with a page.

The rarer words of a text are the features of an index, which retrieves works for paraphrases.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from fingerprinter.compiled import compiled
from fingerprinter.features.model import SEGMENT_LETTERS, Features, absorb_value, finalize_hash
from fingerprinter.words.segmenter import character_codes, word_spans
from matcher.index.protocol import Hits, Index
from matcher.paraphrase.evidence import Portion
from matcher.paraphrase.plain_characters import PlainText

MAX_WORD_SHARE = 3e-5  # most share of all words that a rare word has
POSITION_CHARACTERS = 16  # characters of one position, so that a long text fits the index
DOCUMENT_CHARACTERS = SEGMENT_LETTERS * POSITION_CHARACTERS  # characters of one document of the index
_WORD_SEED = 0x776F726473


def extract_rare_words(text: PlainText) -> list[Features]:
    """Return the rare words of two characters or more, for each `DOCUMENT_CHARACTERS` of a text.

    Positions count units of `POSITION_CHARACTERS`.
    """
    codes = character_codes(text.text)
    begins, ends, logs = word_spans(codes)
    rare = (ends - begins > 1) & ((logs == 0) | (logs < np.log(MAX_WORD_SHARE)))
    begins, ends = begins[rare], ends[rare]
    values, is_word = _hash_words(text.codes, begins, ends)
    begins, values = begins[is_word], values[is_word]
    cuts = np.searchsorted(begins, range(0, len(text) + DOCUMENT_CHARACTERS, DOCUMENT_CHARACTERS)).tolist()
    return [
        Features(
            values[first:last], (begins[first:last] % DOCUMENT_CHARACTERS // POSITION_CHARACTERS).astype(np.uint32)
        )
        for first, last in pairwise(cuts)
    ]


@compiled("Tuple((u8[::1], b1[::1]))(u4[::1], i8[::1], i8[::1])")
def _hash_words(codes, begins, ends):  # type: ignore[no-untyped-def]  # compiled
    """Return the hash of each word, and whether it has only word characters."""
    values = np.empty(len(begins), np.uint64)
    is_word = np.ones(len(begins), np.bool_)
    for number in range(len(begins)):
        state = np.uint64(_WORD_SEED)
        for offset in range(begins[number], ends[number]):
            is_word[number] &= codes[offset] != 0
            state = absorb_value(state, np.uint64(codes[offset]))
        values[number] = finalize_hash(state)
    return values, is_word


MAX_QUERY_WORDS = 50_000  # words of texts that are looked up together
MEAN_POSTINGS = 16  # mean postings of a word that are read
MAX_DOCUMENTS = 16  # documents that are compared closely
PAGE_STRETCH_CHARACTERS = 180  # characters of a compared stretch of a page
WORK_STRETCH_CHARACTERS = 220  # characters of a compared stretch of a work
_STRETCH_STEP = 48  # characters between the starts of stretches
_CELL_POSITIONS = _STRETCH_STEP // POSITION_CHARACTERS
_RECTANGLE_WIDTH, _RECTANGLE_HEIGHT = 4, 5  # cells of a rectangle


class RetrievedDocument(NamedTuple):
    """A document of the index, with the stretches of page and document that share most.

    weight: what they share, in words that stand in no other document.
    """

    number: int
    page: Portion
    work: Portion
    weight: float


def retrieve_documents(
    index: Index, many: Sequence[Features], most: int = MAX_DOCUMENTS, min_weight: float = 0.0
) -> list[list[RetrievedDocument]]:
    """Return for each text the documents that share most rare words with one stretch of it, best first.

    There are none where the best has less than `min_weight`. many: the words of each text, or of a piece of it
    (`extract_rare_words`). Raises what the index raises.
    """
    ranked: list[list[RetrievedDocument]] = []
    for batch in _split_queries(many):
        queries = [Features(words.values, np.arange(len(words), dtype=np.uint32)) for words in batch]
        results = index.look_up_all(queries, mean=MEAN_POSTINGS)
        ranked += [_rank_hits(hits, words, most, min_weight) for hits, words in zip(results, batch, strict=True)]
    return ranked


def _split_queries(many: Sequence[Features]) -> Iterator[Sequence[Features]]:
    """Split queries into batches whose results fit the memory."""
    begin = words = 0
    for end, features in enumerate(many):
        if end > begin and words + len(features) > MAX_QUERY_WORDS:
            yield many[begin:end]
            begin, words = end, 0
        words += len(features)
    if begin < len(many):
        yield many[begin:]


def _rank_hits(hits: Hits, words: Features, most: int, min_weight: float) -> list[RetrievedDocument]:
    """Rank the documents of the hits, as `retrieve_documents` returns them."""
    if not len(hits):
        return []
    documents = int(hits.numbers.max()) + 1  # numbers ascend, so nearly all are in use
    kinds = np.unique(words.values, return_inverse=True)[1]
    cells = words.positions // np.uint32(_CELL_POSITIONS)
    scale = log(documents + 1)
    corners, weights = _best_documents(
        hits.numbers, kinds, cells, hits.query_positions, hits.positions, documents, most, min_weight * scale
    )
    return [
        RetrievedDocument(
            number,
            Portion(left * _STRETCH_STEP, left * _STRETCH_STEP + PAGE_STRETCH_CHARACTERS),
            Portion(low * _STRETCH_STEP, low * _STRETCH_STEP + WORK_STRETCH_CHARACTERS),
            weight / scale,
        )
        for (number, left, low), weight in zip(corners.tolist(), weights.tolist(), strict=True)
    ]


@compiled("i8[::1](i8[::1])")
def _number_owners(numbers):  # type: ignore[no-untyped-def]  # compiled
    """Number the documents of the hits from 0, in order of appearance."""
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
    """Return the rarity of each word, f8[word], the higher the fewer documents hold it. word: ascending."""
    documents_with = np.zeros(word[-1] + 1, np.int64)
    last = np.full(owner.max() + 1, -1, np.int64)
    for hit in range(len(word)):
        documents_with[word[hit]] += last[owner[hit]] != word[hit]
        last[owner[hit]] = word[hit]
    return np.log((documents + 1) / np.maximum(1, documents_with))


@compiled("f8[::1](i8[::1], i8[::1], f8[::1])")
def _owner_totals(word, owner, rarity):  # type: ignore[no-untyped-def]  # compiled
    """Sum the rarity of all page words in each document, f8[owner], an upper bound for its rectangles."""
    totals = np.zeros(owner.max() + 1, np.float64)
    last = np.full(len(totals), -1, np.int64)
    for hit in range(len(word)):
        if last[owner[hit]] != word[hit]:
            totals[owner[hit]] += rarity[word[hit]]
        last[owner[hit]] = word[hit]
    return totals


@compiled("f8(i8[::1], i8[::1], i8[::1], f8[::1], i8, i8)")
def _rectangle_weight(word, page, work, rarity, left, low):  # type: ignore[no-untyped-def]  # compiled
    """Sum the rarity of the words in a rectangle, each word once. word: ascending."""
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
    """Return the weight and the corner of the heaviest rectangle, the first of several."""
    wide, high = page.max() + 1, work.max() + 1
    bounds = np.zeros((wide, high), np.float64)  # upper bounds, where each hit counts
    for hit in range(len(word)):
        for left in range(max(0, page[hit] - _RECTANGLE_WIDTH + 1), page[hit] + 1):
            for low in range(max(0, work[hit] - _RECTANGLE_HEIGHT + 1), work[hit] + 1):
                bounds[left, low] += rarity[word[hit]]
    first = bounds.argmax()
    min_weight = _rectangle_weight(word, page, work, rarity, first // high, first % high)
    best, best_left, best_low = -1.0, 0, 0
    for left in range(wide):
        for low in range(high):
            if bounds[left, low] < min_weight or bounds[left, low] <= best:
                continue
            weight = _rectangle_weight(word, page, work, rarity, left, low)
            if weight > best:
                best, best_left, best_low = weight, left, low
    return best, best_left, best_low


@compiled("i8[::1](i8[::1], i8)")
def _group_order(kinds, count):  # type: ignore[no-untyped-def]  # compiled
    """Return the stable order that groups equal kinds."""
    next_free = np.zeros(count + 1, np.int64)
    for kind in kinds:
        next_free[kind + 1] += 1
    next_free = np.cumsum(next_free)
    order = np.empty(len(kinds), np.int64)
    for index in range(len(kinds)):
        order[next_free[kinds[index]]] = index
        next_free[kinds[index]] += 1
    return order


@compiled("i8[::1](f8[::1], i8)")
def _select_promising(totals, count):  # type: ignore[no-untyped-def]  # compiled
    """Return the owners with the greatest totals, `count` and ties, the greatest first."""
    min_total = np.partition(totals, len(totals) - count)[len(totals) - count] if count < len(totals) else totals.min()
    owners = np.flatnonzero(totals >= min_total)
    return owners[np.argsort(-totals[owners], kind="mergesort")]


@compiled("Tuple((i8[:,::1], f8[::1]))(u4[::1], i8[::1], u4[::1], u4[::1], u4[::1], i8, i8, f8)")
def _best_documents(numbers, kinds, cells, places, positions, documents, most, min_weight):  # type: ignore[no-untyped-def]  # compiled
    """Return number, corner and weight of the heaviest rectangles, none where none has `min_weight`.

    kinds, cells: of the page's words. numbers, places, positions: of hits, places among these words.
    """
    by_word = _group_order(kinds[places], len(kinds))
    numbers = numbers[by_word].astype(np.int64)
    places = places[by_word]
    word, page = kinds[places], cells[places].astype(np.int64)
    work = positions[by_word].astype(np.int64) // _CELL_POSITIONS
    owner = _number_owners(numbers)
    rarity = _word_rarity(word, owner, documents)
    totals = _owner_totals(word, owner, rarity)
    hits = _group_order(owner, len(totals))  # grouped by document, then by word
    ends = np.cumsum(np.bincount(owner))
    corners = np.empty((most, 3), np.int64)
    weights = np.full(most, -1.0)
    count, tried, wanted = 0, 0, 4 * most
    while True:
        ranked = _select_promising(totals, wanted)
        for candidate in ranked[tried:]:
            if count == most and totals[candidate] <= weights[-1]:
                return corners, weights
            if totals[candidate] < min_weight and (count == 0 or weights[0] < min_weight):
                return corners[:0].copy(), weights[:0].copy()
            own_hits = hits[(ends[candidate - 1] if candidate else 0) : ends[candidate]]
            weight, left, low = _find_best_rectangle(word[own_hits], page[own_hits], work[own_hits], rarity)
            rank = count
            while rank > 0 and weights[rank - 1] < weight:
                rank -= 1
            if rank == most:
                continue
            for below in range(min(count, most - 1), rank, -1):
                weights[below], corners[below] = weights[below - 1], corners[below - 1]
            weights[rank] = weight
            corners[rank, 0], corners[rank, 1], corners[rank, 2] = numbers[own_hits[0]], left, low
            count = min(most, count + 1)
        tried, wanted = len(ranked), 4 * wanted
        if tried == len(totals):
            return corners[:count].copy(), weights[:count].copy()
