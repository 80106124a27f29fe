"""Features of documents that tests make up, and what an index has to find of them."""

from collections.abc import Iterable, Iterator

import numpy as np
from hypothesis import strategies as st

from fingerprinter.features.model import SEGMENT_LETTERS, Features
from matcher.index.postings import MAX_REPEATS
from matcher.index.protocol import Hits

Document = list[tuple[int, int]]  # (value, position), ascending positions
Found = list[tuple[int, int, int]]

# These features differ in the first ten or the last eleven bits, which every implementation must tell apart.
values = st.builds(
    lambda top, low: top << 54 | low, st.sampled_from([0, 1, 511, 1023]), st.sampled_from([0, 1, 0xFFFF])
)
documents = st.lists(
    st.tuples(values, st.integers(0, SEGMENT_LETTERS - 1)), max_size=30, unique_by=lambda feature: feature[1]
).map(lambda features: sorted(features, key=lambda feature: feature[1]))
libraries = st.dictionaries(st.sampled_from([0, 1, 2, 255, 65_536, 2**31, 2**32 - 1]), documents, max_size=5)


def features(document: Iterable[tuple[int, int]]) -> Features:
    pairs = list(document)
    return Features(
        np.array([value for value, _ in pairs], np.uint64), np.array([position for _, position in pairs], np.uint32)
    )


def some_features(seed: int, count: int = 100) -> Features:
    random = np.random.default_rng(seed)
    return Features(random.integers(0, 1 << 64, count, dtype=np.uint64), np.arange(count, dtype=np.uint32))


def some_documents(numbers: range) -> Iterator[tuple[int, Features]]:
    """Each with the features that its number stands for."""
    return ((number, some_features(number)) for number in numbers)


def triples(hits: Hits) -> Found:
    return sorted(zip(hits.query_positions.tolist(), hits.numbers.tolist(), hits.positions.tolist(), strict=True))


def expected(library: dict[int, Document], query: Document) -> Found:
    """Found by comparing every feature with every other: the first places in the query and in each document."""

    def first_places(document: Document) -> dict[int, list[int]]:
        places: dict[int, list[int]] = {}
        for value, position in document:
            places.setdefault(value, []).append(position)
        return {value: some[:MAX_REPEATS] for value, some in places.items()}

    return sorted(
        (asked, number, position)
        for value, wanted in first_places(query).items()
        for asked in wanted
        for number, document in library.items()
        for position in first_places(document).get(value, [])
    )
