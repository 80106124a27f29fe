"""What recurs on a page beside what it copied is furniture."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fingerprinter.alphabet import DIGIT_0
from matcher.retrieval.inserted_adverts import mark_recurring, places_without_furniture

ADVERT, COPIED, OTHER = "abcdefghijkl", "mnopqrstuvwxyz", "zyxwvutsrqponm"


def furniture(page: str, *blocks: tuple[int, int], longest: int = 400) -> str:
    """The page's letters that are furniture, between these blocks."""
    codes = np.frombuffer(page.encode(), np.uint8) - ord("a")
    starts, ends = np.array(blocks, np.int32).reshape(-1, 2).T
    found = mark_recurring(codes, starts.copy(), ends.copy(), longest)
    return "".join(letter for letter, is_furniture in zip(page, found.tolist(), strict=True) if is_furniture)


def test_what_stands_twice_between_the_blocks_is_furniture_and_what_stands_once_is_not() -> None:
    assert furniture(COPIED + ADVERT + COPIED + ADVERT + COPIED, (0, 14), (26, 40), (52, 66)) == ADVERT * 2
    assert furniture(COPIED + ADVERT + COPIED + OTHER + COPIED, (0, 14), (26, 40), (54, 68)) == ""


def test_what_stands_beside_the_blocks_counts_and_what_stands_far_off_does_not() -> None:
    page = ADVERT + COPIED + ADVERT + COPIED + OTHER
    assert furniture(page, (12, 26), (38, 52)) == ADVERT * 2
    assert furniture(page, (12, 26), (38, 52), longest=11) == ""


@given(st.lists(st.integers(0, 56), max_size=120), st.lists(st.integers(0, 120), min_size=2, max_size=8))
def test_on_any_page_with_any_blocks_no_letter_of_a_block_is_furniture(page: list[int], cuts: list[int]) -> None:
    codes: NDArray[np.uint8] = np.array(page, np.uint8)
    places = np.minimum(np.sort(np.array(cuts, np.int32)), len(page)).astype(np.int32)
    starts, ends = places[: len(places) // 2 * 2 : 2].copy(), places[1::2].copy()
    found = mark_recurring(codes, starts, ends, 400)
    assert len(found) == len(page)
    assert not any(found[start:end].any() for start, end in zip(starts.tolist(), ends.tolist(), strict=True))


@given(st.lists(st.integers(0, 1), max_size=200), st.lists(st.integers(0, 200), min_size=2, max_size=8))
def test_all_of_a_gram_that_stands_twice_in_the_gaps_is_furniture_and_nothing_else(
    page: list[int], cuts: list[int]
) -> None:
    codes: NDArray[np.uint8] = np.array(page, np.uint8)
    places = np.minimum(np.sort(np.array(cuts, np.int32)), len(page)).astype(np.int32)
    starts, ends = places[: len(places) // 2 * 2 : 2].copy(), places[1::2].copy()
    gaps = zip([0, *ends.tolist()], [*starts.tolist(), len(page)], strict=True)
    grams = [(tuple(page[at : at + 10]), at) for begin, end in gaps for at in range(begin, end - 9)]
    counts = Counter(gram for gram, _ in grams)
    marked = {place for gram, at in grams if counts[gram] > 1 for place in range(at, at + 10)}
    assert set(np.flatnonzero(mark_recurring(codes, starts, ends, 400)).tolist()) == marked


def rest(page: str) -> str | None:
    """The page's letters that are no furniture, nothing being known of it."""
    kept = places_without_furniture(np.frombuffer(page.encode(), np.uint8) - ord("a"))
    return None if kept is None else "".join(page[place] for place in kept)


def test_what_stands_three_times_on_a_page_is_left_out() -> None:
    assert rest(COPIED + ADVERT + OTHER + ADVERT + COPIED + ADVERT) == COPIED + OTHER + COPIED
    assert rest(COPIED + ADVERT + OTHER + ADVERT) is None


def test_of_a_page_that_is_all_furniture_nothing_is_left_out() -> None:
    assert rest(ADVERT * 5) is None
    assert rest("") is None


def test_a_short_frame_around_each_clause_is_left_out_and_no_letter_of_the_clauses() -> None:
    clauses = ["stxm", "spq", "suvz", "srst", "qmz", "zux", "wvq"]
    assert rest("".join("abcde" + clause for clause in clauses)) == "".join(clauses)


def test_figures_between_frames_are_left_out_with_them() -> None:
    frames = [np.frombuffer(b"abcdefghijkl", np.uint8) - ord("a"), np.array([DIGIT_0 + 1], np.uint8)]
    clauses = [np.frombuffer(one, np.uint8) - ord("a") for one in (b"mnop", b"qrst", b"uvwx")]
    page = np.concatenate([piece for clause in clauses for piece in (*frames, clause)])
    kept = places_without_furniture(page)
    assert kept is not None
    assert page[kept].tolist() == np.concatenate(clauses).tolist()
