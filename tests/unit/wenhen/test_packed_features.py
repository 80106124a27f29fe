"""Features as they are kept: nothing is lost that an index asks for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.features.model import (
    Features,
    pack_positions,
    pack_values,
    repack_features,
    unpack_positions,
    unpack_values,
)
from matcher.index.query import split_queries

VALUES = st.lists(st.integers(0, 2**64 - 1), max_size=20).map(lambda some: np.array(some, np.uint64))


@given(st.lists(st.integers(0, 32_767), max_size=30).map(sorted))
def test_positions_come_back_whatever_lies_between_them(letters: list[int]) -> None:
    assert unpack_positions(pack_positions(np.array(letters, np.uint32))).tolist() == letters


@pytest.mark.parametrize("bits", [10, 28])  # of the smallest and the largest index
@given(values=VALUES)
def test_an_index_of_any_size_is_asked_the_same_of_values_that_were_packed(values: np.ndarray, bits: int) -> None:
    packed = pack_values(values)
    assert len(packed) == 5 * len(values)
    places = np.arange(len(values), dtype=np.uint32)
    asked = [list(split_queries(Features(one, places), bits, 100)) for one in (values, unpack_values(packed))]
    told = [[(one.buckets.tolist(), one.residues.tolist(), one.places.tolist()) for one in some] for some in asked]
    assert told[0] == told[1]


def test_what_was_kept_as_whole_numbers_becomes_the_same_features() -> None:
    positions, values = np.array([3, 3, 900], "<u2"), np.array([1, 2**40 + 7, 2**63], "<u8")
    assert repack_features(positions.tobytes(), values.tobytes()) == (pack_positions(positions), pack_values(values))
