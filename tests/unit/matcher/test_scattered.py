"""Passages that kept their words but not their order."""

import re

import jieba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Wanted
from matcher.alignment.local_alignment import align_scattered, align_texts
from matcher.alignment.word_reordering import _MIN_DISTINCT_BIGRAMS, Points, _order_by_band, find_scattered_blocks
from matcher.attribution.align_pair import _choose_clearer, align_pair
from tests.support.sample_works import OTHER, WORKS
from wenhen.demo.articles import load_works

WORK = "".join(WORKS)
TEXTS = st.text(st.sampled_from("河堤芦苇一天比老邱每清早a1"), max_size=80)


def points(text: str) -> Points:
    return np.array([ord(char) for char in text], np.uint32)


def swapped(text: str) -> str:
    """Every two words in each other's place."""
    words = jieba.lcut(text)
    return "".join("".join(reversed(words[at : at + 2])) for at in range(0, len(words), 2))


def test_a_passage_whose_words_all_changed_places_is_found_by_a_thorough_comparison() -> None:
    copied = WORKS[1] + WORKS[2]
    page = OTHER + swapped(copied) + OTHER
    letters, work = to_initials(page), to_initials(WORK)
    quick = align_pair(page, letters, WORK, work)
    assert quick is None or not quick.accuse
    thorough = align_pair(page, letters, WORK, work, thorough=True)
    assert thorough is not None
    assert thorough.accuse
    (passage,) = thorough.passages
    start = WORK.index(copied)
    assert abs(passage.work_start - start) < 12
    assert abs(passage.work_end - start - len(copied)) < 12


def rotated(text: str) -> str:
    """Every clause with its second half first."""
    pieces = re.split("([，。；：！？、\n]+)", text)
    return "".join(
        clause[len(clause) // 2 :] + clause[: len(clause) // 2] + sign
        for clause, sign in zip(pieces[::2], [*pieces[1::2], ""], strict=True)
    )


def test_a_passage_whose_clauses_begin_in_their_middle_is_whole_though_a_part_of_it_is_found_plainly() -> None:
    work = load_works()["炒茶人老陈"].text
    copied = work[400:800]
    page = OTHER + rotated(copied) + OTHER
    letters, work_letters = to_initials(page), to_initials(work)
    assert align_texts(page, letters, work, work_letters), "a part"
    found = align_pair(page, letters, work, work_letters, thorough=True)
    assert found is not None
    assert found.accuse
    assert sum(passage.page_end - passage.page_start for passage in found.passages) >= 0.95 * len(copied)


def test_a_page_that_copies_nothing_shares_no_scattered_words_either() -> None:
    assert align_pair(OTHER * 3, to_initials(OTHER * 3), WORK, to_initials(WORK), thorough=True) is None


def test_words_that_stand_only_where_a_passage_has_them_are_not_gathered_anew() -> None:
    page = OTHER + WORKS[1] + OTHER
    letters, work = to_initials(page), to_initials(WORK)
    plain = align_texts(page, letters, WORK, work)
    assert len(find_scattered_blocks(points(WORKS[1]), points(WORK)).score), "they would be"
    assert align_scattered(page, letters, WORK, work, plain) is plain


@given(st.lists(st.sampled_from([*WORKS, *map(swapped, WORKS), *map(rotated, WORKS), OTHER]), max_size=4))
def test_what_is_not_wanted_is_left_out_and_nothing_else(pieces: list[str]) -> None:
    page = "".join(pieces)
    letters, work = to_initials(page), to_initials(WORK)
    plain = align_texts(page, letters, WORK, work)
    found = align_scattered(page, letters, WORK, work, plain)
    for wanted in (Wanted(0.0, 56), Wanted(60.0, 56), Wanted(sum(passage.weight for passage in found) - 1, 56)):
        some = align_scattered(page, letters, WORK, work, plain, wanted)
        assert _choose_clearer([], some, wanted) == _choose_clearer([], found, wanted)


def test_a_term_that_recurs_in_both_texts_is_no_passage() -> None:
    page = "，".join(f"水闸{char}" for char in "甲乙丙丁戊己庚辛壬癸子丑寅卯")
    work = "，".join(f"{char}水闸" for char in "天地玄黄宇宙洪荒日月盈昃辰宿")
    assert len(find_scattered_blocks(points(page), points(work)).score) == 0


@given(TEXTS, TEXTS)
def test_blocks_of_any_texts_lie_inside_them_and_are_the_same_seen_from_the_other_side(page: str, work: str) -> None:
    blocks = find_scattered_blocks(points(page), points(work))
    for page_start, page_end, work_start, work_end, score in zip(*(one.tolist() for one in blocks), strict=True):
        assert 0 <= page_start < page_end <= len(page)
        assert 0 <= work_start < work_end <= len(work)
        assert score > 0
    mirrored = find_scattered_blocks(points(work), points(page))
    if len(page) != len(work):
        assert sorted(zip(blocks.page_start, blocks.work_start, strict=True)) == sorted(
            zip(mirrored.work_start, mirrored.page_start, strict=True)
        )


@given(st.lists(st.integers(-3, 3), max_size=80))
def test_bigrams_are_ordered_by_bands_and_keep_their_order_in_a_band_and_small_bands_are_left_out(
    numbers: list[int],
) -> None:
    large = [place for place, band in enumerate(numbers) if numbers.count(band) >= _MIN_DISTINCT_BIGRAMS]
    assert _order_by_band(np.array(numbers, np.int64)).tolist() == sorted(large, key=lambda place: numbers[place])
