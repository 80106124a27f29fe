"""The look-up by tables finds all that a look at every word finds, and counts what it compares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.schemes.indexes import HammingTables
from fingerprinter.schemes.scheme import MemoryBuckets, SchemeFingerprint


def _tables(words: list[int], bits: int, distance: int) -> HammingTables:
    tables = HammingTables(MemoryBuckets(), bits=bits, distance=distance)
    for number, word in enumerate(words):
        tables.add(number, SchemeFingerprint("words", 1, {}, 0, np.array([word], np.uint64)))
    return tables


@st.composite
def _words_near_each_other(draw: st.DrawFn) -> tuple[int, int, list[int], int]:
    bits = draw(st.sampled_from([13, 32, 64]))
    centre = draw(st.integers(0, 2**bits - 1))
    flips = st.lists(st.integers(0, bits - 1), max_size=8, unique=True)
    near = flips.map(lambda places: centre ^ sum(1 << place for place in places))
    return bits, draw(st.integers(0, 7)), draw(st.lists(near, max_size=12)), centre


@given(_words_near_each_other())
def test_no_near_word_escapes_the_tables(case: tuple[int, int, list[int], int]) -> None:
    bits, distance, words, query = case
    answer = _tables(words, bits, distance).within(query)
    near = {n for n, word in enumerate(words) if (word ^ query).bit_count() <= distance}
    assert {match.number for match in answer.matches} == near
    assert len(near) <= answer.comparisons <= len(words)


def test_comparisons_are_the_words_that_share_a_block_each_counted_once() -> None:
    words = [0, 0xFFFF, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF]  # share 4, 3, 2 and 0 blocks with 0
    assert _tables(words, 64, 3).within(0).comparisons == 3


def test_four_tables_compare_a_few_of_many_random_words() -> None:
    """4 in 65,536 by chance, so of 20,000 about one."""
    words = np.random.default_rng(4).integers(0, 2**64, 20_000, np.uint64).tolist()
    tables = _tables(words, 64, 3)
    compared = [tables.within(word).comparisons for word in words[:200]]
    assert sum(compared) / 200 < 5


@pytest.mark.parametrize(("bits", "distance"), [(64, 64), (65, 3), (32, -1)])
def test_impossible_distances_are_refused(bits: int, distance: int) -> None:
    with pytest.raises(ValueError, match="distance"):
        HammingTables(MemoryBuckets(), bits=bits, distance=distance)
