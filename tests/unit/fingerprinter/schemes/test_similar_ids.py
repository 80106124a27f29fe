"""nshash's grouping: texts that share a key stand under one id."""

from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.schemes.indexes import SimilarIds
from fingerprinter.schemes.scheme import MemoryBuckets


def test_a_copy_gets_the_id_of_the_earlier_text() -> None:
    ids = SimilarIds(MemoryBuckets())
    assert [ids.put(1, [10, 11]), ids.put(2, [20]), ids.put(3, [11, 30])] == [1, 2, 1]


def test_a_bridge_merges_two_groups() -> None:
    ids = SimilarIds(MemoryBuckets())
    assert [ids.put(1, [10]), ids.put(2, [20]), ids.put(3, [20, 10])] == [1, 2, 1]
    assert [ids.similar_id(number) for number in (1, 2, 3)] == [1, 1, 1]


def test_groups_outlive_the_process_that_made_them() -> None:
    buckets = MemoryBuckets()
    SimilarIds(buckets).put(1, [10])
    assert SimilarIds(buckets).put(2, [10]) == 1


@given(st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=14))
def test_groups_are_the_connected_texts_whatever_their_order(held: list[list[int]]) -> None:
    ids = SimilarIds(MemoryBuckets())
    for number, keys in enumerate(held):
        ids.put(number, keys)
    group = list(range(len(held)))
    for _ in held:
        for one, keys in enumerate(held):
            for other, others in enumerate(held):
                if set(keys) & set(others):
                    group[one] = group[other] = min(group[one], group[other])
    assert [ids.similar_id(number) for number in range(len(held))] == group
