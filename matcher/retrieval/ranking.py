"""Rank documents by hits that gather on diagonals, less what chance gives."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.model import SEGMENT_LETTERS
from matcher.index.postings import occurrence_rank
from matcher.index.protocol import Hits
from matcher.retrieval.stop_features import COMMON_FEATURE_HITS, MIN_RARE_HITS, mask_superfluous

MIN_RANKED_DOCUMENTS = (
    100  # documents of one look-up, at least; how many works are compared is the setting `matcher.retrieval.candidates`
)
_DIAGONAL_SLACK = 24  # letters by which insertions and deletions may shift the hits of one passage
_MAX_HIT_GAP = 256  # letters of the query between two hits of one passage
_DIAGONAL_BITS = 32
_WEIGHT_PARTS = 1 << 20  # of a feature's weight
_HASH_FACTOR = 2654435761  # Knuth's multiplicative hash
_MAX_INSERTION_SORT = 32  # numbers that are sorted by putting each in its place


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document of the index that the query may share a passage with.

    hits: features of the query that stand in it; expected: how many of those chance would put on the diagonals that
    count; evidence: nats against chance, summed over the diagonals; score: probability of a shared passage, in [0, 1].
    formulaic: of the query, the share of it that stands in very many documents (`share_of_stop_features`). share: hits
    for each feature of the query that was not left out for being in too many documents. common_at: where all that it
    shares is in very many documents, a letter of that (`matcher.retrieval.early_termination`).
    """

    number: int
    hits: int
    expected: float
    evidence: float
    score: float
    formulaic: float = 0.0
    share: float = 0.0
    common_at: int | None = None


class _Votes(NamedTuple):
    """For each document: number, hits, expected hits, evidence, a letter of the query in the strongest chain, and how
    many of the hits are on rarer features.
    """

    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]
    expected: NDArray[np.float64]
    evidence: NDArray[np.float64]
    places: NDArray[np.int64]
    rare: NDArray[np.int64]


def rank_documents(
    hits: Hits,
    *,
    query_letters: int,
    documents: int,
    formulaic: float = 0.0,
    most: int = MIN_RANKED_DOCUMENTS,
    compared: int | None = None,
    asked: int = 1,
) -> list[RankedDocument]:
    """The documents in which hits gather on diagonals, strongest evidence first; at most `most`.

    documents: how many the index holds; asked: how many features were looked up; compared: how many of the first will
    be, if not all: of these no stretch of the query has more than a quarter as long as others wait. A hit counts less
    the more documents share its feature, so that what many works share (licences, idioms, adverts) ranks none of them.
    Where no more documents than `most` share any feature, those follow in which no hits gather: a short passage under
    heavy noise keeps a single feature.
    """
    if not len(hits):
        return []
    shared = np.bincount(hits.query_positions)
    weights = _rarity_weights(shared, documents)
    different, several = _find_repeated(hits.numbers)
    votes = _sort_and_vote(hits if different <= most else _select_hits(hits, several), weights, shared, query_letters)
    strongest = _order_by_evidence(hits, weights, votes, everyone=different <= most)
    best = _spread_over_stretches(strongest, votes.places, most if compared is None else compared)[:most]
    numbers, counts, expected, evidence, places, rare = votes
    # Of so many documents one has this much evidence by chance alone.
    surplus = evidence[best] - np.log(max(2, documents))
    scores = 1 / (1 + np.exp(-np.clip(surplus, -60, 60)))
    telling = max(1, asked - hits.skipped)
    return [
        RankedDocument(
            int(numbers[at]),
            int(counts[at]),
            float(expected[at]),
            float(evidence[at]),
            float(score),
            formulaic,
            int(counts[at]) / telling,
            int(places[at]) if evidence[at] > 0 and rare[at] < MIN_RARE_HITS else None,
        )
        for at, score in zip(best, scores, strict=True)
    ]


def _select_hits(hits: Hits, which: NDArray[np.int64]) -> Hits:
    return Hits(hits.query_positions[which], hits.numbers[which], hits.positions[which])


def _sort_and_vote(hits: Hits, weights: NDArray[np.float64], shared: NDArray[np.int64], query_letters: int) -> _Votes:
    """What `_vote_by_document` makes of the hits, in whatever order they are."""
    # One key sorts by document, then diagonal; the diagonal is never negative.
    diagonals = hits.positions.astype(np.int64) - hits.query_positions + query_letters
    keys = hits.numbers.astype(np.uint64) << np.uint64(_DIAGONAL_BITS) | diagonals.astype(np.uint64)
    order = np.argsort(keys)
    room = float(query_letters + SEGMENT_LETTERS)
    return _Votes(*_vote_by_document(keys[order], hits.query_positions[order], weights, shared, room))


def _order_by_evidence(hits: Hits, weights: NDArray[np.float64], votes: _Votes, *, everyone: bool) -> NDArray[np.int64]:
    """At which of the votes the documents stand that may be ranked, the strongest evidence first.

    everyone: whether the votes are of all documents, and those without evidence follow.
    """
    best, others = np.flatnonzero(votes.evidence > 0), np.flatnonzero(votes.evidence <= 0)
    best = best[np.argsort(-votes.evidence[best], kind="stable")]
    best = best[~mask_superfluous(votes.rare[best], votes.places[best] // _MAX_HIT_GAP)]
    if everyone:
        # Whole numbers, so that the order of adding changes nothing.
        parts = np.rint(weights * _WEIGHT_PARTS)[hits.query_positions]
        told = np.bincount(np.searchsorted(votes.numbers, hits.numbers), parts)
        best = np.concatenate((best, others[np.argsort(-told[others], kind="stable")]))
    return best


def _spread_over_stretches(best: NDArray[np.int64], places: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """In such an order that of the first `most` no more than a quarter are for one stretch of the query, as long as
    others wait.

    So that a block of text which hundreds of works share does not crowd out the one source of another passage.
    """
    if len(best) <= most:
        return best
    late = occurrence_rank(places[best] // _MAX_HIT_GAP) >= max(1, most // 4)
    return np.concatenate((best[~late], best[late]))


def _rarity_weights(shared: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """What a hit at each place tells, 1 where its feature stands in one document, towards 0 where it stands in all.

    shared: hits at each place.
    """
    total = np.log(max(2, documents) + 1)
    weights: NDArray[np.float64] = np.clip(1 - np.log(np.maximum(shared, 1)) / total, 0.02, 1)
    return weights


@compiled("Tuple((i8, i8[::1]))(u4[::1])")
def _find_repeated(numbers):  # type: ignore[no-untyped-def]  # compiled
    """How many documents there are, and the places of those that stand there several times, the only ones in which hits
    can gather: one in twenty where the index is large.
    """
    bits = 8
    while 1 << bits < 2 * len(numbers):
        bits += 1
    slots = np.zeros(1 << bits, np.int32)  # the first place of a document, one up
    firsts = np.empty(len(numbers), np.int32)
    again = np.zeros(len(numbers), np.bool_)
    different = 0
    for at in range(len(numbers)):
        slot = (numbers[at] * _HASH_FACTOR & 0xFFFFFFFF) >> (32 - bits)
        while slots[slot] and numbers[slots[slot] - 1] != numbers[at]:
            slot = (slot + 1) & ((1 << bits) - 1)
        if slots[slot]:
            firsts[at] = slots[slot] - 1
            again[firsts[at]] = True
        else:
            firsts[at] = at
            slots[slot] = at + 1
            different += 1
    places = np.empty(len(numbers), np.int64)
    count = 0
    for at in range(len(numbers)):
        if again[firsts[at]]:
            places[count] = at
            count += 1
    return different, places[:count]


@compiled("void(u4[::1])")
def _sort_places(places):  # type: ignore[no-untyped-def]  # compiled
    """In place; nearly always there are few."""
    if len(places) > _MAX_INSERTION_SORT:
        places.sort()
        return
    for at in range(1, len(places)):
        here = places[at]
        before = at - 1
        while before >= 0 and places[before] > here:
            places[before + 1] = places[before]
            before -= 1
        places[before + 1] = here


@compiled("Tuple((i8, f8, i8))(u4[::1], f8[::1])")
def _heaviest_chain(places, weights):  # type: ignore[no-untyped-def]  # compiled
    """The heaviest chain of different places without a gap over `_MAX_HIT_GAP`: how many, weight, last place."""
    _sort_places(places)
    best = 0
    best_weight = 0.0
    best_place = 0
    count = 1
    weight = weights[places[0]]
    for at in range(1, len(places)):
        here, before = places[at], places[at - 1]
        if here == before:
            continue
        if here - before > _MAX_HIT_GAP:
            count = 0
            weight = 0.0
        count += 1
        weight += weights[here]
        if weight > best_weight and count >= 2:
            best = count
            best_weight = weight
            best_place = here
    return best, best_weight, best_place


@compiled("Tuple((i8[::1], i8[::1], f8[::1], f8[::1], i8[::1], i8[::1]))(u8[::1], u4[::1], f8[::1], i8[::1], f8)")
def _vote_by_document(keys, places, weights, shared, room):  # type: ignore[no-untyped-def]  # compiled
    """Of hits sorted by document and diagonal, for each document what `_Votes` has.

    weights: what a hit at each place of the query tells; shared: how many there are.
    """
    m = len(keys)
    numbers = np.empty(m, np.int64)
    counts = np.empty(m, np.int64)
    expected = np.zeros(m, np.float64)
    evidence = np.zeros(m, np.float64)
    where = np.zeros(m, np.int64)
    rare = np.zeros(m, np.int64)
    documents = 0
    first = 0
    while first < m:
        number = keys[first] >> np.uint64(_DIAGONAL_BITS)
        last = first
        while last < m and keys[last] >> np.uint64(_DIAGONAL_BITS) == number:
            rare[documents] += shared[places[last]] < COMMON_FEATURE_HITS
            last += 1
        total = last - first
        # Hits that lie by chance spread over all diagonals; so many fall on one band of them.
        chance = max(0.02, total * 2.0 * _DIAGONAL_SLACK / room)
        most_told = 0.0
        at = first
        while at < last:
            # Hits whose diagonals follow each other closely: one band.
            end = at + 1
            while end < last and keys[end] - keys[end - 1] <= np.uint64(_DIAGONAL_SLACK):
                end += 1
            if end - at >= 2:
                best, weight, place = _heaviest_chain(places[at:end].copy(), weights)
                if best >= 2:
                    told = weight * np.log(best / chance) - (weight - min(chance, weight))
                    if told > 0:
                        evidence[documents] += told
                        expected[documents] += chance
                    if told > most_told:
                        most_told = told
                        where[documents] = place
            at = end
        numbers[documents] = np.int64(number)
        counts[documents] = total
        documents += 1
        first = last
    found = slice(documents)
    return numbers[found], counts[found], expected[found], evidence[found], where[found], rare[found]
