"""What a page's markup names is found in one pass, however it is written."""

import pytest

from crawler.extraction.markup_signs import (
    AUTHOR_WORD,
    BASE_TAG,
    BYLINE_WORD,
    FORUM_SIGN,
    FORUM_SOFTWARE,
    LINKED_DATA_TYPE,
    STYLE_TAG,
    TIME_TAG,
    scan_markup,
)

NAMES = (AUTHOR_WORD, BASE_TAG, BYLINE_WORD, LINKED_DATA_TYPE, STYLE_TAG, TIME_TAG)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found_in_large_letters_and_in_small_ones(name: str) -> None:
    for written in (name, name.upper(), name.title()):
        assert scan_markup(f"<p>渡口</p>{written}<p>灯</p>".encode()) == {name}


def test_the_signs_of_each_program_are_found_as_they_are_written() -> None:
    for sign in (sign for one in FORUM_SOFTWARE for sign in one.signs):
        assert FORUM_SIGN in scan_markup(f"<div>渡口{sign}的灯</div>".encode()), sign


def test_all_that_a_page_names_is_told() -> None:
    assert scan_markup("".join(f"<p>渡口{name}" for name in (*NAMES, "postmessage_")).encode()) == {*NAMES, FORUM_SIGN}


def test_a_page_that_names_nothing_has_nothing_of_it() -> None:
    assert scan_markup("<article><h1>渡口</h1><p>天亮以前，渡口的灯还亮着。</p></article>".encode()) == frozenset()
    assert scan_markup(b"") == frozenset()
