"""Discount text that many unrelated pages share: careers, notices and descriptions in standard wording.

A small library cannot tell a form from a copy, but the stored pages can. So each gram that a page shares with a work is
looked up among them. A gram counts by the clusters of near-duplicates and the hosts that have it, so a text that was
copied to a hundred hosts counts once. A page with most of the work's text on either side of the passage copies the work
too, and is no witness. Only passages of moderate weight that would accuse are looked up.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import GRAMS, extract_features
from fingerprinter.features.model import Features
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.align_pair import TextPair
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS
from matcher.index.protocol import Hits, Index
from wenhen.kit.errors import IndexNotReady

MAX_DISCOUNTED_WEIGHT = 100.0  # weight of all passages above which standard wording cannot explain them
MIN_STORED_PAGES = 12  # stored documents below which no witnesses are counted
_MAX_WORK_SHARE = 0.5  # share of a work above which a passage is more than one of its phrases
_FIRST_WITNESSES, _ALL_WITNESSES = 4, 12  # unrelated pages from which a gram weighs less, and from which nothing
_MIN_OWN_WEIGHT = 30.0  # own weight of discounted passages below which a copy is not likely enough
_GRAM_INITIALS = 6
_SURROUNDING_INITIALS = 150  # initials of the work on either side of a passage where pages may copy it
_MIN_SIDE_GRAMS = 12  # grams of the work on one side below which the next share is not used
_RELATED_SHARE = 0.7  # share of these grams in a page that copies the work
_MAX_DRIFT, _MAX_DISTANCE = 8, 40  # initials between two grams of a page, beyond chance: in offset, and apart
_MAX_WITNESSES = 256  # pages whose hosts are looked up
_MAX_CUSTOMARY_PAGES = 1_024  # pages whose hosts are looked up for a suspicion
_MEAN_POSTINGS = 256  # mean postings read for a gram; more frequent grams count as common without a count


_NO_HITS = Hits(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))


class PageOrigin(NamedTuple):
    """Identify the cluster of near-duplicates and the host of a stored page."""

    cluster: str
    host: str


@dataclass(frozen=True, slots=True)
class StoredPages:
    """Look up features among the stored pages.

    look_up: returns the hits of features. origins: returns the origins of the documents with these numbers. Retired
    numbers are absent.
    """

    look_up: Callable[[Features], Hits]
    origins: Callable[[Collection[int]], Mapping[int, PageOrigin]]


def discount_page_text(
    pair: TextPair, passages: Sequence[AlignedPassage], pages: StoredPages
) -> Sequence[AlignedPassage]:
    """Reduce the weight of passages that many unrelated pages have. Return none if too little weight is left."""
    if not passages or pair.shortest < MAX_QUOTATION_INITIALS or not (pair.page.in_order and pair.work.in_order):
        return passages
    if sum(passage.weight for passage in passages) >= MAX_DISCOUNTED_WEIGHT:
        return passages
    if sum(passage.agreeing for passage in passages) >= _MAX_WORK_SHARE * len(pair.work):
        return passages
    shares = [own_share(pair.work, passage, pages) for passage in passages]
    if min(shares) == 1:
        return passages
    own = sum(passage.letters * share for passage, share in zip(passages, shares, strict=True))
    weight = sum(passage.weight * share for passage, share in zip(passages, shares, strict=True))
    if own < pair.shortest or weight < _MIN_OWN_WEIGHT:
        return []
    return [
        passage if share == 1 else replace(passage, weight=passage.weight * share)
        for passage, share in zip(passages, shares, strict=True)
    ]


def own_share(work: Initials, passage: AlignedPassage, pages: StoredPages) -> float:
    """Return the share of a passage's grams, in [0, 1], that few pages have. Grams count in part."""
    agreed = np.sort(passage.agreed[:, 1].astype(np.int64))
    start = max(0, int(agreed[0]) - _SURROUNDING_INITIALS)
    around = work.part(start, min(len(work), int(agreed[-1]) + 1 + _SURROUNDING_INITIALS))
    features = extract_features(around, GRAMS)
    offsets = np.unique(features.positions.astype(np.int64))
    inside = offsets[_count_within(agreed - start, offsets, offsets + _GRAM_INITIALS) >= _GRAM_INITIALS]
    if not len(inside):
        return 1.0
    hits = pages.look_up(features)
    grams, documents = _drop_chance(hits)
    counts = _count_witnesses(grams, documents, offsets, inside, pages)
    weights = np.clip((_ALL_WITNESSES - counts) / (_ALL_WITNESSES - _FIRST_WITNESSES), 0.0, 1.0)
    return float(weights.mean() * (1 - _skipped_share(hits, offsets)))


def customary_spans(letters: Initials, start: int, end: int, pages: StoredPages) -> list[tuple[int, int]]:
    """Return what many unrelated pages have of the code points [start, end) of a text in reading order: spans of them.

    What stands between two near pieces that the same pages have is a blank of their form, and included.
    """
    first, behind = letters.starts.searchsorted((start, end)).tolist()
    features = extract_features(letters.part(first, behind), GRAMS)
    offsets = np.unique(features.positions.astype(np.int64))
    if not len(offsets):
        return []
    spans: list[tuple[int, int, set[PageOrigin]]] = []
    for offset, origins in zip(offsets.tolist(), _find_witnesses(features, offsets, pages), strict=True):
        if not _are_many(origins):
            continue
        piece = (offset, min(behind - first, offset + _GRAM_INITIALS), origins)
        if spans and piece[0] - spans[-1][1] <= _MAX_DISTANCE and _are_many(spans[-1][2] & origins):
            piece = (spans.pop()[0], *piece[1:])
        spans.append(piece)
    return [letters.span(first + begin, first + stop) for begin, stop, _ in spans]


def _find_witnesses(features: Features, offsets: NDArray[np.int64], pages: StoredPages) -> list[set[PageOrigin]]:
    """Return the origins of the pages that have each gram. offsets: of the grams."""
    grams, documents = _drop_chance(pages.look_up(features))
    numbers = np.unique(documents).tolist()
    origins = pages.origins(numbers[:_MAX_CUSTOMARY_PAGES]) if len(numbers) >= _FIRST_WITNESSES else {}
    witnesses: list[set[PageOrigin]] = [set() for _ in offsets]
    for gram, document in zip(grams.tolist(), documents.tolist(), strict=True):
        if document in origins:
            witnesses[int(offsets.searchsorted(gram))].add(origins[document])
    return witnesses


def _are_many(origins: Collection[PageOrigin]) -> bool:
    """Whether pages are enough unrelated ones to show customary text."""
    return min(len({page.cluster for page in origins}), len({page.host for page in origins})) >= _FIRST_WITNESSES


def _count_within(places: NDArray[np.int64], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return places.searchsorted(ends) - places.searchsorted(begins)


def _drop_chance(hits: Hits) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the grams and documents of the hits that another hit of the same document confirms."""
    grams, documents = hits.query_positions.astype(np.int64), hits.numbers.astype(np.int64)
    drifts = hits.positions.astype(np.int64) - grams
    order = np.lexsort((grams, documents))
    grams, documents, drifts = grams[order], documents[order], drifts[order]
    distances = np.diff(grams)
    confirms = (np.diff(documents) == 0) & (np.abs(np.diff(drifts)) <= _MAX_DRIFT)
    confirms &= (distances > 0) & (distances <= _MAX_DISTANCE)
    is_confirmed = np.zeros(len(grams), np.bool_)
    is_confirmed[1:] |= confirms
    is_confirmed[:-1] |= confirms
    return grams[is_confirmed], documents[is_confirmed]


def _count_witnesses(
    grams: NDArray[np.int64],
    documents: NDArray[np.int64],
    offsets: NDArray[np.int64],
    inside: NDArray[np.int64],
    pages: StoredPages,
) -> NDArray[np.int64]:
    """Count the unrelated pages that have each gram of the passage: i64[len(inside)].

    offsets: all grams that were looked up. inside: those of the passage.
    """
    pairs = np.unique(np.stack((documents, grams), axis=1), axis=0)
    numbers, firsts = np.unique(pairs[:, 0], return_index=True)
    copies = np.zeros(len(numbers), np.bool_)
    for side in (offsets[offsets < inside[0]], offsets[offsets > inside[-1]]):
        if len(side) >= _MIN_SIDE_GRAMS:
            in_side = np.isin(pairs[:, 1], side)
            copies |= _count_by_document(in_side, firsts) >= _RELATED_SHARE * len(side)
    in_passage = np.isin(pairs[:, 1], inside)
    helps = _count_by_document(in_passage, firsts)
    helps[copies] = 0
    chosen = numbers[np.argsort(-helps, kind="stable")[: min(_MAX_WITNESSES, int((helps > 0).sum()))]]
    origins = pages.origins(chosen.tolist()) if len(chosen) >= _FIRST_WITNESSES else {}
    witnesses: list[tuple[set[str], set[str]]] = [(set(), set()) for _ in range(len(inside))]
    for document, gram in pairs[in_passage].tolist():
        if document in origins:
            clusters, hosts = witnesses[int(inside.searchsorted(gram))]
            clusters.add(origins[document].cluster)
            hosts.add(origins[document].host)
    return np.array([min(len(clusters), len(hosts)) for clusters, hosts in witnesses], np.int64)


def _count_by_document(marks: NDArray[np.bool_], firsts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the marked grams of each document. firsts: the first row of each."""
    return np.add.reduceat(marks, firsts, dtype=np.int64) if len(firsts) else np.empty(0, np.int64)


def _skipped_share(hits: Hits, offsets: NDArray[np.int64]) -> float:
    """Return the share of grams that were not looked up because too many pages have them."""
    return min(1.0, hits.skipped / len(offsets))


def look_up_pages(index: Index, count: Callable[[], int]) -> Callable[[Features], Hits]:
    """Return a look-up of features that reads a bounded number of postings.

    It finds nothing while pages are few or the index is missing. count: returns the number of documents.
    """

    def look_up(features: Features) -> Hits:
        if count() < MIN_STORED_PAGES:
            return _NO_HITS
        try:
            return index.look_up(features, mean=_MEAN_POSTINGS)
        except IndexNotReady:
            return _NO_HITS

    return look_up
