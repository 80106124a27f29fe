"""What recurs on a page beside what it copied is furniture."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from matcher.furniture import recurring

letters = st.lists(st.integers(0, 56), max_size=120).map(lambda codes: np.array(codes, np.uint8))


def of(text: str) -> NDArray[np.uint8]:
    return np.array([ord(letter) - ord("a") for letter in text], np.uint8)


def test_what_stands_twice_is_furniture_and_what_stands_once_is_not() -> None:
    page = of("abcdefghijkl" + "mnopqrstuvwxyz" + "abcdefghijkl" + "zyxwv")
    found = recurring(page, np.zeros(len(page), np.bool_))
    assert found.tolist() == [True] * 12 + [False] * 14 + [True] * 12 + [False] * 5


def test_what_was_copied_is_none_however_often_it_stands_there() -> None:
    page = of("abcdefghijkl" * 3)
    taken = np.zeros(len(page), np.bool_)
    taken[:12] = taken[24:] = True
    assert not recurring(page, taken).any()


@given(letters, st.booleans())
def test_any_page_is_searched_and_what_is_taken_is_never_furniture(page: NDArray[np.uint8], inside: bool) -> None:
    taken = np.full(len(page), inside)
    found = recurring(page, taken)
    assert len(found) == len(page)
    assert not (found & taken).any()


@given(letters)
def test_a_page_that_stands_twice_is_furniture_throughout(page: NDArray[np.uint8]) -> None:
    twice = np.concatenate((page, page))
    assert recurring(twice, np.zeros(len(twice), np.bool_)).all() or len(page) < 10
