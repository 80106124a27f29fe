"""The share of a page that is written in formulae: what so many documents have at a place, each counted once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.features.model import Features
from matcher.index.protocol import Hits
from matcher.retrieval.ranking import MIN_STOP_FEATURE_DOCUMENTS, share_of_stop_features

PLACES = 6
some_hits = st.lists(
    st.tuples(st.integers(0, PLACES - 1), st.integers(0, 2 * MIN_STOP_FEATURE_DOCUMENTS)),
    max_size=12 * MIN_STOP_FEATURE_DOCUMENTS,
)


def _share(hits: list[tuple[int, int]], skipped: int = 0) -> float:
    places, numbers = (np.array([one[side] for one in hits], np.uint32) for side in (0, 1))
    asked = Features(np.arange(PLACES, dtype=np.uint64), np.arange(PLACES, dtype=np.uint32))
    return share_of_stop_features(Hits(places, numbers, np.zeros(len(hits), np.uint32), skipped), asked, documents=1)


@given(some_hits)
def test_a_place_is_a_formula_where_so_many_documents_have_it_in_whatever_order_they_come(
    hits: list[tuple[int, int]],
) -> None:
    having = [{number for place, number in hits if place == one} for one in range(PLACES)]
    assert _share(hits) == sum(len(each) >= MIN_STOP_FEATURE_DOCUMENTS for each in having) / PLACES


def test_a_document_that_repeats_it_counts_once_and_what_was_left_out_is_a_formula() -> None:
    often = [(3, 7)] * (5 * MIN_STOP_FEATURE_DOCUMENTS)
    assert _share(often) == 0.0
    assert _share(often + [(4, number) for number in range(MIN_STOP_FEATURE_DOCUMENTS)], skipped=1) == 2 / PLACES
