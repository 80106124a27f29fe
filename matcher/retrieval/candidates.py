"""Look texts up in an index and rank the documents that it finds."""

from collections.abc import Sequence

import numpy as np

from fingerprinter.alphabet import Initials
from fingerprinter.features.index_features import query_features
from fingerprinter.features.model import Features
from matcher.index.protocol import Index
from matcher.retrieval.ranking import MIN_RANKED_DOCUMENTS, RankedDocument, rank_documents
from matcher.retrieval.recurring_insertions import places_without_furniture
from matcher.retrieval.stop_features import share_of_stop_features

_MAX_UNFRAMED_SHARE = 0.875  # share of a text that is no furniture, up to which it is looked up without that, too
_SAMPLE_INITIALS = 8_192  # letters that show how a text is written


def find_candidates(
    letters: Initials, index: Index, *, documents: int, most: int = MIN_RANKED_DOCUMENTS
) -> list[RankedDocument]:
    """Documents of the index that a text may share a passage with, best first. documents: how many the index holds.

    A long owner stands in the index as several documents; the caller merges them. Raises what the index raises.
    """
    return find_all_candidates([letters], index, documents=documents, most=most)[0]


def find_all_candidates(
    texts: Sequence[Initials],
    index: Index,
    *,
    documents: int,
    most: int = MIN_RANKED_DOCUMENTS,
    compared: int | None = None,
) -> list[list[RankedDocument]]:
    """The same for each of several texts, which are looked up together. compared: as for `rank_documents`."""
    asked = list(map(_query_features, texts))
    return [
        rank_documents(
            hits,
            query_letters=letters,
            documents=documents,
            formulaic=share_of_stop_features(hits, features, documents),
            most=most,
            compared=compared,
            asked=len(features),
        )
        for (features, letters), hits in zip(asked, index.look_up_all([one for one, _ in asked]), strict=True)
    ]


def _query_features(letters: Initials) -> tuple[Features, int]:
    """The features that a text is looked up by, and how many letters they span.

    Behind them stand those of the text without its frames, where it has many: no feature may be whole with them.
    """
    features, count = query_features(letters), len(letters)
    kept = places_without_furniture(letters.codes)
    if kept is None or len(kept) > _MAX_UNFRAMED_SHARE * count:
        return features, count
    bare = query_features(letters.only(kept))
    values = np.concatenate((features.values, bare.values))
    return Features(values, np.concatenate((features.positions, bare.positions + np.uint32(count)))), 2 * count


def stop_feature_share(letters: Initials, index: Index, *, documents: int) -> float:
    """The share of a text's features, in [0, 1], that stand in very many documents; of a long one, of its beginning.

    Raises what the index raises.
    """
    asked = query_features(letters.part(0, _SAMPLE_INITIALS))
    return share_of_stop_features(index.look_up(asked), asked, documents)
