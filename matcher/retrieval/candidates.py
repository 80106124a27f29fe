"""Look texts up in an index and rank the documents found."""

from collections.abc import Sequence

import numpy as np

from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import query_features
from fingerprinter.features.model import Features
from matcher.index.protocol import Index
from matcher.retrieval.blank_grams import reading_features
from matcher.retrieval.inserted_adverts import places_without_furniture
from matcher.retrieval.page_readings import PageReading
from matcher.retrieval.ranking import MIN_RANKED_DOCUMENTS, RankedDocument, rank_documents
from matcher.retrieval.stop_features import share_of_stop_features

_MAX_BARE_SHARE = 0.875  # share of a text outside furniture up to which it is also looked up without furniture
MIN_LIKELY_SCORE = 0.5  # of a document with more evidence than one of all has by chance
CERTAIN_SCORE = 0.99  # of a document that makes other readings of a text needless
_SAMPLE_INITIALS = 8_192  # initials that are sampled for stop features


def find_candidates(
    initials: Initials, index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[RankedDocument]:
    """Return documents of the index that a text may share a passage with, best first.

    documents: number of documents in the index. A long owner is several documents there, which the caller merges.
    Raises what the index raises.
    """
    return find_all_candidates([initials], index, documents=documents, most=most)[0]


def find_all_candidates(
    texts: Sequence[Initials],
    index: Index,
    *,
    documents: int,
    most: int = MIN_RANKED_DOCUMENTS,
    compared: int | None = None,
) -> list[list[RankedDocument]]:
    """Return the same for each of several texts in one look-up. compared: as for `rank_documents`."""
    queries = list(map(_query_features, texts))
    return [
        rank_documents(
            hits,
            query_letters=count,
            documents=documents,
            formulaic=share_of_stop_features(hits, features, documents),
            most=most,
            compared=compared,
            asked=len(features),
        )
        for (features, count), hits in zip(
            queries, index.look_up_all([features for features, _ in queries]), strict=True
        )
    ]


def find_disguised_candidates(
    readings: Sequence[PageReading], index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[RankedDocument]:
    """Return documents that a page may share a passage with under other readings, each with its best evidence.

    Documents without evidence against chance are left out. Raises what the index raises.
    """
    queries = list(map(reading_features, readings))
    best: dict[int, RankedDocument] = {}
    for reading, features, hits in zip(readings, queries, index.look_up_all(queries), strict=True):
        for ranked in rank_documents(
            hits, query_letters=len(reading.letters), documents=documents, most=most, asked=len(features)
        ):
            known = best.get(ranked.number)
            if ranked.score >= MIN_LIKELY_SCORE and (known is None or ranked.score > known.score):
                best[ranked.number] = ranked
    return sorted(best.values(), key=lambda ranked: (-ranked.score, ranked.expected - ranked.hits))[:most]


def _query_features(initials: Initials) -> tuple[Features, int]:
    """Return the features by which a text is looked up, and how many initials they span.

    For a text with much furniture, the features of the text without furniture follow, as furniture may break all
    features.
    """
    features, count = query_features(initials), len(initials)
    bare_offsets = places_without_furniture(initials.codes)
    if bare_offsets is None or len(bare_offsets) > _MAX_BARE_SHARE * count:
        return features, count
    bare = query_features(initials.only(bare_offsets))
    values = np.concatenate((features.values, bare.values))
    return Features(values, np.concatenate((features.positions, bare.positions + np.uint32(count)))), 2 * count


def stop_feature_share(initials: Initials, index: Index, *, documents: int) -> float:
    """Return the share of a text's features, in [0, 1], that are stop features. A long text is sampled.

    Raises what the index raises.
    """
    features = query_features(initials.part(0, _SAMPLE_INITIALS))
    return share_of_stop_features(index.look_up(features), features, documents)
