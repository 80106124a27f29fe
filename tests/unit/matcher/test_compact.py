"""The compact form of a bucket gives back what went in, whatever was appended behind it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from matcher.index.elias_fano import RECORD_BYTES, RESIDUE_BITS, pack_buckets, unpack_buckets
from matcher.index.postings import Buckets
from matcher.index.query import find_hits, split_queries
from tests.support.features.index_features import features

records = st.builds(
    lambda residue, number, position: residue << 48 | number << 16 | position,
    st.integers(0, (1 << RESIDUE_BITS) - 1) | st.integers(0, 3),
    st.integers(0, 2**32 - 1) | st.integers(0, 100),
    st.integers(0, 0x7FFF) | st.just(0x8000),
)
buckets = st.lists(st.lists(records, max_size=60), min_size=1, max_size=6)


def laid(some: list[list[int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    starts = np.cumsum([0, *map(len, some)]).astype(np.int64)
    return np.array([record for bucket in some for record in bucket], np.uint64), starts


@given(compact=buckets, data=st.data())
def test_records_come_back_in_their_order_with_what_was_appended_behind_them(
    compact: list[list[int]], data: st.DataObject
) -> None:
    compact = [sorted(bucket) for bucket in compact]
    behind = [data.draw(st.lists(records, max_size=5)) for _ in compact]
    strings: list[bytes | None] = [
        form + np.array(tail, "<u8").tobytes() for form, tail in zip(pack_buckets(*laid(compact)), behind, strict=True)
    ]
    found, starts = unpack_buckets([*strings, None])
    expected, places = laid([*(one + tail for one, tail in zip(compact, behind, strict=True)), []])
    assert found.tolist() == expected.tolist()
    assert starts.tolist() == places.tolist()


@given(compact=buckets)
def test_no_bucket_takes_more_than_its_records_would(compact: list[list[int]]) -> None:
    compact = [sorted(bucket) for bucket in compact]
    sizes = [len(form) for form in pack_buckets(*laid(compact))]
    assert all(size <= RECORD_BYTES * len(bucket) for size, bucket in zip(sizes, compact, strict=True))


@pytest.mark.parametrize("documents", [1_000, 1_000_000, 2**32])
def test_a_bucket_of_the_usual_size_takes_five_bytes_a_posting_among_a_million(documents: int) -> None:
    random = np.random.default_rng(1)
    residues, numbers = (random.integers(0, most, 200, dtype=np.uint64) for most in (1 << RESIDUE_BITS, documents))
    bucket = np.sort(
        residues << np.uint64(48) | numbers << np.uint64(16) | np.arange(200, dtype=np.uint64) * np.uint64(5)
    )
    [form] = pack_buckets(bucket, np.array([0, 200]))
    assert len(form) / 200 <= {1_000: 3.5, 1_000_000: 4.7, 2**32: 6.2}[documents]


@given(compact=buckets, data=st.data())
def test_a_look_up_finds_in_the_compact_form_what_it_finds_in_the_records(
    compact: list[list[int]], data: st.DataObject
) -> None:
    """The features of a query are buckets and residues; each bucket is stored once as records and once compact."""
    residues = st.integers(0, (1 << RESIDUE_BITS) - 1) | st.integers(0, 3)
    asked = data.draw(st.lists(st.tuples(st.integers(0, len(compact) - 1), residues), max_size=20))
    query = features((bucket << 54 | residue, place) for place, (bucket, residue) in enumerate(asked))
    whole = Buckets(np.arange(len(compact)), *laid([sorted(bucket) for bucket in compact]))
    for one in split_queries(query, 10, 4096):
        plain, short = (
            find_hits(one, [strings[number] for number in one.buckets], 30)
            for strings in (whole.strings(), whole.compact())
        )
        assert plain.skipped == short.skipped
        for name in ("query_positions", "numbers", "positions"):
            assert getattr(plain, name).tolist() == getattr(short, name).tolist()


def test_records_of_an_index_from_before_with_longer_residues_are_still_read() -> None:
    found, _ = unpack_buckets([np.array([0xFFFF << 48 | 7 << 16 | 3], "<u8").tobytes()])
    assert found.tolist() == [((1 << RESIDUE_BITS) - 1) << 48 | 7 << 16 | 3]
