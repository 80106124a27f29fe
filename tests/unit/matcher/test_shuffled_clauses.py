"""Whether clauses changed places."""

import numpy as np

from matcher.alignment.chaining import Numbers, is_shuffled


def places(*clauses: tuple[int, int]) -> tuple[Numbers, Numbers]:
    """The letters of a page that takes these clauses of a work one after the other."""
    work = np.concatenate([np.arange(*clause, dtype=np.int32) for clause in clauses])
    return np.arange(len(work), dtype=np.int32), work


def test_a_passage_whose_clauses_were_swapped_is_shuffled() -> None:
    assert is_shuffled([places((8, 16), (0, 8), (24, 32), (16, 24))])


def test_a_passage_with_cuts_is_not() -> None:
    assert not is_shuffled([places((0, 8), (16, 24), (40, 48), (60, 70))])


def test_passages_in_another_order_are_not() -> None:
    assert not is_shuffled([places((60, 90)), places((30, 60)), places((0, 30))])
