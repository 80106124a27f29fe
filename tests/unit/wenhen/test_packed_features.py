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


@given(
    values=st.lists(st.integers(0, 40), max_size=60).map(lambda some: np.array(some, np.uint64) << np.uint64(58)),
    residues=st.lists(st.integers(0, 3), min_size=60, max_size=60),
    size=st.integers(1, 9),
)
def test_queries_hold_each_feature_once_in_its_bucket_with_all_its_places(
    values: np.ndarray, residues: list[int], size: int
) -> None:
    values = np.bitwise_or(values, np.array(residues[: len(values)], np.uint64)).astype(np.uint64)
    places = np.arange(5, 5 + len(values), dtype=np.uint32)
    held: dict[tuple[int, int], list[int]] = {}
    for query in split_queries(Features(values, places), 10, size):
        assert 0 < len(query.residues) <= size
        assert query.place_starts[-1] == len(query.places)
        for number, bucket in enumerate(query.buckets.tolist()):
            for feature in range(query.starts[number], query.starts[number + 1]):
                begin, end = query.place_starts[feature : feature + 2]
                assert held.setdefault((bucket, int(query.residues[feature])), query.places[begin:end].tolist())
    wanted: dict[tuple[int, int], list[int]] = {}
    for value, place in zip(values.tolist(), places.tolist(), strict=True):
        wanted.setdefault((value >> 54, value & 0xFFFF), []).append(place)
    assert held == wanted
    assert list(held) == sorted(held)


def test_what_was_kept_as_whole_numbers_becomes_the_same_features() -> None:
    positions, values = np.array([3, 3, 900], "<u2"), np.array([1, 2**40 + 7, 2**63], "<u8")
    assert repack_features(positions.tobytes(), values.tobytes()) == (pack_positions(positions), pack_values(values))
