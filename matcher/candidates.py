"""Which documents of an index a text is compared with: what it is looked up by, and what the index ranks."""

from collections.abc import Sequence

import numpy as np

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import query_features
from fingerprinter.letters import Letters
from matcher.alignment.recurring_insertions import without_furniture
from matcher.index.port import Index
from matcher.ranking.formulae import common_share
from matcher.ranking.rank import RANKED, RankedDocument, rank

_UNFRAMED = 0.875  # share of a text that is no furniture, up to which it is looked up without that, too
_BEGINNING = 8_192  # letters that show how a text is written


def candidates(letters: Letters, index: Index, *, documents: int, most: int = RANKED) -> list[RankedDocument]:
    """Documents of the index that a text may share a passage with, best first. documents: how many the index holds.

    A long owner stands in the index as several documents; the caller merges them. Raises what the index raises.
    """
    return candidates_of_all([letters], index, documents=documents, most=most)[0]


def candidates_of_all(
    texts: Sequence[Letters], index: Index, *, documents: int, most: int = RANKED, compared: int | None = None
) -> list[list[RankedDocument]]:
    """The same for each of several texts, which are looked up together. compared: as for `rank`."""
    asked = list(map(_asked, texts))
    return [
        rank(
            hits,
            query_letters=letters,
            documents=documents,
            formulaic=common_share(hits, features, documents),
            most=most,
            compared=compared,
            asked=len(features),
        )
        for (features, letters), hits in zip(asked, index.look_up_all([one for one, _ in asked]), strict=True)
    ]


def _asked(letters: Letters) -> tuple[Features, int]:
    """The features that a text is looked up by, and how many letters they span.

    Behind them stand those of the text without its frames, where it has many: no feature may be whole with them.
    """
    features, count = query_features(letters), len(letters)
    kept = without_furniture(letters.codes)
    if kept is None or len(kept) > _UNFRAMED * count:
        return features, count
    bare = query_features(letters.only(kept))
    values = np.concatenate((features.values, bare.values))
    return Features(values, np.concatenate((features.positions, bare.positions + np.uint32(count)))), 2 * count


def formulaic_share(letters: Letters, index: Index, *, documents: int) -> float:
    """The share of a text's features, in [0, 1], that stand in very many documents; of a long one, of its beginning.

    Raises what the index raises.
    """
    asked = query_features(letters.part(0, _BEGINNING))
    return common_share(index.look_up(asked), asked, documents)
