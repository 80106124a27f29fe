"""Readings that follow the phrase."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import INITIALS
from fingerprinter.initials.polyphones_and_variants import phrase_initials
from fingerprinter.initials.to_initials import to_initials


def initials(text: str) -> str:
    return "".join((INITIALS + "_" + "?" * 36)[code] for code in phrase_initials(text).codes.tolist())


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("重庆很重要", "cqhzy"),
        ("银行里的人行走", "yhldrxz"),
        ("长大以后去长城", "zdyhqcc"),
        ("他调查音乐，她很快乐", "tdcyythkl"),
        ("重\u200b庆", "cq"),  # invisible characters part no phrase
    ],
)
def test_a_character_is_read_as_its_phrase_says(text: str, read: str) -> None:
    assert initials(text) == read


def test_where_no_phrase_begins_the_plain_letter_stands() -> None:
    assert phrase_initials("灯、灯 abc 12").codes.tolist() == to_initials("灯、灯 abc 12").codes.tolist()


@given(st.one_of(st.text(st.characters()), st.text(st.sampled_from("重庆要银行走长大zhong ，𠀀㍿"))))
def test_any_string_has_true_initials_at_the_places_of_its_letters(text: str) -> None:
    plain, true = to_initials(text), phrase_initials(text)
    assert true.starts.tolist() == plain.starts.tolist()
    assert true.ends.tolist() == plain.ends.tolist()
    assert len(true.codes) == len(plain.codes)
