"""Works that share with a page only what very many share are compared until enough have that."""

import numpy as np

from matcher.retrieval.candidates import MIN_WITNESSES, WitnessCounts

PLACE = 40  # a letter of what is common


def agreed(*letters: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(letters, np.int32)


def test_a_witness_is_wanted_until_enough_works_have_its_letter() -> None:
    witnessed = WitnessCounts(100)
    for _ in range(MIN_WITNESSES):
        assert witnessed.wants(PLACE)
        witnessed.note(agreed(*range(30, 50)))
    assert not witnessed.wants(PLACE)
    assert witnessed.wants(60), "another stretch has witnesses of its own"


def test_where_few_have_some_of_the_letters_more_witnesses_are_wanted() -> None:
    witnessed = WitnessCounts(100)
    for _ in range(MIN_WITNESSES):
        witnessed.note(agreed(*range(30, 50)))
    witnessed.note(agreed(*range(28, 54)))
    assert not witnessed.wants(PLACE), "its ends agree by chance"
    witnessed.note(agreed(*range(30, 70)))
    assert witnessed.wants(PLACE)


def test_a_work_counts_once_however_many_of_its_passages_have_the_letter() -> None:
    witnessed = WitnessCounts(100)
    witnessed.note(agreed(*[PLACE] * MIN_WITNESSES))
    assert witnessed.wants(PLACE)


def test_works_that_share_something_else_are_wanted_whatever_was_found() -> None:
    witnessed = WitnessCounts(100)
    for _ in range(MIN_WITNESSES):
        witnessed.note(agreed(*range(100)))
    assert witnessed.wants(None)
    assert witnessed.wants(100), "a place in the text without its frames, which stands behind it"
