"""Rank documents by hits that gather on diagonals, less what chance gives.

Features with a high document frequency are discounted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.compiled import compiled
from fingerprinter.features.model import SEGMENT_LETTERS, Features
from matcher.index.postings import I64, occurrence_rank
from matcher.index.protocol import Hits

MIN_RANKED_DOCUMENTS = 100  # documents that a look-up ranks, at least
COMMON_FEATURE_HITS = 32  # hits from which a feature is weak evidence
MIN_RARE_HITS = 2  # hits on rarer features that a document needs to be compared for its own sake
MAX_WITNESSES = 16  # documents that prove a stretch common: twice as many as must share it to accuse nobody

# Documents from which a shared feature is a stop feature: more than share a subject, or than chance gives in a large
# index.
MIN_STOP_FEATURE_DOCUMENTS = 30
_STOP_FEATURE_SHARE = 1e-3
# Shares of stop features from which both texts are formulaic, as laws and recipes are. Any page may have an advert or
# an idiom, but then its source has none.
_MIN_PAGE_SHARE = 0.005
_MIN_WORK_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class StopFeatureShares:
    """Shares of stop features in the texts of a comparison, in [0, 1].

    page: of the page. of_work: returns that of a work, by its initials. It is called only for a formulaic page.
    """

    page: float
    of_work: Callable[[Initials], float]

    def in_both(self, work: Initials) -> bool:
        """Whether the page and this work are both formulaic, so that similar sentences are expected."""
        return self.page >= _MIN_PAGE_SHARE and self.of_work(work) >= _MIN_WORK_SHARE


NO_STOP_FEATURES = StopFeatureShares(0.0, lambda _: 0.0)


def mask_superfluous(rare: I64, stretches: I64) -> NDArray[np.bool_]:
    """Mark documents that only prove once more that a stretch is common. They are ordered by evidence.

    rare: i64[n], hits of each document on features with fewer than `COMMON_FEATURE_HITS`. stretches: i64[n], the
    stretch of the query with the best hits of each.
    """
    nothing = np.zeros(len(rare), np.bool_)
    if len(rare) <= MAX_WITNESSES:
        return nothing
    common = np.flatnonzero(rare < MIN_RARE_HITS)
    nothing[common[occurrence_rank(stretches[common]) >= MAX_WITNESSES]] = True
    return nothing


def share_of_stop_features(hits: Hits, asked: Features, documents: int) -> float:
    """Return the share of a text's places, in [0, 1], whose features are stop features.

    asked: the features that were looked up. documents: number in the index.
    """
    places = int(_count_distinct(asked.positions))
    min_documents = max(MIN_STOP_FEATURE_DOCUMENTS, _STOP_FEATURE_SHARE * documents)
    common_places = int(_count_common_places(hits.query_positions, hits.numbers, min_documents)) + hits.skipped
    return min(1.0, common_places / places) if places else 0.0


@compiled("i8(u4[::1])")
def _count_distinct(places):  # type: ignore[no-untyped-def]  # compiled
    """Count distinct places, which nearly always ascend."""
    count = min(1, len(places))
    for index in range(1, len(places)):
        if places[index] < places[index - 1]:
            return len(np.unique(places))
        count += places[index] != places[index - 1]
    return count


@compiled("i8(u4[::1], u4[::1], f8)")
def _count_common_places(places, numbers, min_documents):  # type: ignore[no-untyped-def]  # compiled
    """Count the places with hits in so many documents. A document counts once, however often it has the feature."""
    ends = np.zeros(places.max() + 2 if len(places) else 1, np.int64)
    for place in places:
        ends[place + 1] += 1
    is_common = ends[1:] >= min_documents
    if not is_common.any():
        return 0
    ends = np.cumsum(np.where(is_common, ends[1:], 0))
    next_free = ends - np.diff(np.append(0, ends))
    documents = np.empty(ends[-1], numbers.dtype)
    for hit in range(len(places)):
        if is_common[places[hit]]:
            documents[next_free[places[hit]]] = numbers[hit]
            next_free[places[hit]] += 1
    count = 0
    for place in np.flatnonzero(is_common):
        sharing = np.sort(documents[(ends[place - 1] if place else 0) : ends[place]])
        distinct = 1
        for hit in range(1, len(sharing)):
            distinct += sharing[hit] != sharing[hit - 1]
        count += distinct >= min_documents
    return count


_DIAGONAL_SLACK = 24  # initials by which insertions and deletions may shift hits of one passage
_MAX_HIT_GAP = 256  # initials of the query between two hits of one passage
_DIAGONAL_BITS = 32
_WEIGHT_PARTS = 1 << 20  # resolution of a feature's weight
_HASH_FACTOR = 2654435761  # Knuth's multiplicative hash
_MAX_INSERTION_SORT = 32  # numbers that are sorted by insertion


class RankedDocument(NamedTuple):
    """A document of the index that the query may share a passage with.

    hits: features of the query in the document. expected: chance hits on the diagonals that count. evidence: nats
    against chance, summed over the diagonals. score: probability of a shared passage, in [0, 1]. formulaic: share of
    the query in very many documents (`share_of_stop_features`). share: hits for each feature of the query that was not
    skipped as too frequent. common_at: if all that it shares is in very many documents, an initial of that
    (`matcher.retrieval.candidates`).
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
    """Columns with one row a document: number, hits, expected hits, evidence, place, rare hits.

    places: an initial of the query in the strongest chain. rare: hits on rarer features.
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
    least: float = 0.0,
) -> list[RankedDocument]:
    """Return the documents in which hits gather on diagonals, strongest evidence first, at most `most`.

    documents: number in the index. asked: number of features that were looked up. least: share of them that a document
    must have, in [0, 1]. compared: how many of the first are
    compared, if not all. No stretch of the query takes more than a quarter of these while others wait. A hit counts
    less the more documents share its feature, so that text of many works (licences, idioms, adverts) ranks none of
    them. If no more documents than `most` share any feature, documents without gathered hits follow, as a short passage
    under heavy noise retains a single feature.
    """
    if not len(hits):
        return []
    shared = np.bincount(hits.query_positions)
    weights = _rarity_weights(shared, documents)
    distinct, repeated = _find_repeated(hits.numbers)
    votes = _sort_and_vote(hits if distinct <= most else _select_hits(hits, repeated), weights, shared, query_letters)
    strongest = _order_by_evidence(hits, weights, votes, everyone=distinct <= most)
    best = _spread_over_stretches(strongest, votes.places, most if compared is None else compared)[:most]
    counted_features = max(1, asked - hits.skipped)
    if least:
        best = best[votes.counts[best] / counted_features >= least]
    # One of so many documents has this much evidence by chance.
    surplus = votes.evidence[best] - np.log(max(2, documents))
    scores = 1 / (1 + np.exp(-np.clip(surplus, -60, 60)))
    rows = zip(*(column[best].tolist() for column in votes), scores.tolist(), strict=True)
    return [
        RankedDocument(
            number,
            count,
            expected,
            evidence,
            score,
            formulaic,
            count / counted_features,
            place if evidence > 0 and rare < MIN_RARE_HITS else None,
        )
        for number, count, expected, evidence, place, rare, score in rows
    ]


def _select_hits(hits: Hits, rows: NDArray[np.int64]) -> Hits:
    return Hits(hits.query_positions[rows], hits.numbers[rows], hits.positions[rows])


def _sort_and_vote(hits: Hits, weights: NDArray[np.float64], shared: NDArray[np.int64], query_letters: int) -> _Votes:
    """Vote by document on hits in any order."""
    # One key sorts by document, then diagonal, which is never negative.
    diagonals = hits.positions.astype(np.int64) - hits.query_positions + query_letters
    keys = hits.numbers.astype(np.uint64) << np.uint64(_DIAGONAL_BITS) | diagonals.astype(np.uint64)
    order = np.argsort(keys)
    room = float(query_letters + SEGMENT_LETTERS)
    return _Votes(*_vote_by_document(keys[order], hits.query_positions[order], weights, shared, room))


def _order_by_evidence(hits: Hits, weights: NDArray[np.float64], votes: _Votes, *, everyone: bool) -> NDArray[np.int64]:
    """Return the rows of the votes whose documents may be ranked, strongest evidence first.

    everyone: whether the votes include all documents. Those without evidence then follow.
    """
    best, others = np.flatnonzero(votes.evidence > 0), np.flatnonzero(votes.evidence <= 0)
    best = best[np.argsort(-votes.evidence[best], kind="stable")]
    best = best[~mask_superfluous(votes.rare[best], votes.places[best] // _MAX_HIT_GAP)]
    if everyone:
        # Integers, so that the order of addition does not matter.
        parts = np.rint(weights * _WEIGHT_PARTS)[hits.query_positions]
        rarity = np.bincount(np.searchsorted(votes.numbers, hits.numbers), parts)
        best = np.concatenate((best, others[np.argsort(-rarity[others], kind="stable")]))
    return best


def _spread_over_stretches(best: NDArray[np.int64], places: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Order documents so that no stretch has more than a quarter of the first `most`, if others wait.

    A block of text that hundreds of works share then does not crowd out the one source of another passage.
    """
    if len(best) <= most:
        return best
    excess = occurrence_rank(places[best] // _MAX_HIT_GAP) >= max(1, most // 4)
    return np.concatenate((best[~excess], best[excess]))


def _rarity_weights(shared: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """Return the weight of a hit at each place: 1 for a feature of one document, towards 0 for one of all.

    shared: hits at each place.
    """
    total = np.log(max(2, documents) + 1)
    weights: NDArray[np.float64] = np.clip(1 - np.log(np.maximum(shared, 1)) / total, 0.02, 1)
    return weights


@compiled("Tuple((i8, i8[::1]))(u4[::1])")
def _find_repeated(numbers):  # type: ignore[no-untyped-def]  # compiled
    """Count the documents, and return the hits of those with several hits.

    Only in these can hits gather: one in twenty where the index is large.
    """
    bits = 8
    while 1 << bits < 2 * len(numbers):
        bits += 1
    slots = np.zeros(1 << bits, np.int32)  # first hit of a document plus 1
    firsts = np.empty(len(numbers), np.int32)
    repeated = np.zeros(len(numbers), np.bool_)
    distinct = 0
    for hit in range(len(numbers)):
        slot = (numbers[hit] * _HASH_FACTOR & 0xFFFFFFFF) >> (32 - bits)
        while slots[slot] and numbers[slots[slot] - 1] != numbers[hit]:
            slot = (slot + 1) & ((1 << bits) - 1)
        if slots[slot]:
            firsts[hit] = slots[slot] - 1
            repeated[firsts[hit]] = True
        else:
            firsts[hit] = hit
            slots[slot] = hit + 1
            distinct += 1
    rows = np.empty(len(numbers), np.int64)
    count = 0
    for hit in range(len(numbers)):
        if repeated[firsts[hit]]:
            rows[count] = hit
            count += 1
    return distinct, rows[:count]


@compiled("void(u4[::1])")
def _sort_places(places):  # type: ignore[no-untyped-def]  # compiled
    """Sort in place. There are nearly always few."""
    if len(places) > _MAX_INSERTION_SORT:
        places.sort()
        return
    for index in range(1, len(places)):
        place = places[index]
        before = index - 1
        while before >= 0 and places[before] > place:
            places[before + 1] = places[before]
            before -= 1
        places[before + 1] = place


@compiled("Tuple((i8, f8, i8))(u4[::1], f8[::1])")
def _heaviest_chain(places, weights):  # type: ignore[no-untyped-def]  # compiled
    """Find the heaviest chain of distinct places without a gap over `_MAX_HIT_GAP`: count, weight, last place."""
    _sort_places(places)
    best = 0
    best_weight = 0.0
    best_place = 0
    count = 1
    weight = weights[places[0]]
    for index in range(1, len(places)):
        place, before = places[index], places[index - 1]
        if place == before:
            continue
        if place - before > _MAX_HIT_GAP:
            count = 0
            weight = 0.0
        count += 1
        weight += weights[place]
        if weight > best_weight and count >= 2:
            best = count
            best_weight = weight
            best_place = place
    return best, best_weight, best_place


@compiled("Tuple((i8[::1], i8[::1], f8[::1], f8[::1], i8[::1], i8[::1]))(u8[::1], u4[::1], f8[::1], i8[::1], f8)")
def _vote_by_document(keys, places, weights, shared, room):  # type: ignore[no-untyped-def]  # compiled
    """Compute the columns of `_Votes` from hits sorted by document and diagonal.

    weights: weight of a hit at each place of the query. shared: hits at each place.
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
        # Chance hits spread over all diagonals. This is their number on one band.
        chance = max(0.02, total * 2.0 * _DIAGONAL_SLACK / room)
        max_nats = 0.0
        start = first
        while start < last:
            # One band: hits on close diagonals.
            end = start + 1
            while end < last and keys[end] - keys[end - 1] <= np.uint64(_DIAGONAL_SLACK):
                end += 1
            if end - start >= 2:
                best, weight, place = _heaviest_chain(places[start:end].copy(), weights)
                if best >= 2:
                    nats = weight * np.log(best / chance) - (weight - min(chance, weight))
                    if nats > 0:
                        evidence[documents] += nats
                        expected[documents] += chance
                    if nats > max_nats:
                        max_nats = nats
                        where[documents] = place
            start = end
        numbers[documents] = np.int64(number)
        counts[documents] = total
        documents += 1
        first = last
    used = slice(documents)
    return numbers[used], counts[used], expected[used], evidence[used], where[used], rare[used]
