"""What a page's markup names is found in one pass, however it is written."""

import pytest

from crawler.extract.named_in_markup import AUTHOR, BASE, BYLINE, FORUM, LINKED_DATA, STYLE, TIME, named_in
from crawler.extract.posts.softwares import SOFTWARES

NAMES = (AUTHOR, BASE, BYLINE, LINKED_DATA, STYLE, TIME)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found_in_large_letters_and_in_small_ones(name: str) -> None:
    for written in (name, name.upper(), name.title()):
        assert named_in(f"<p>渡口</p>{written}<p>灯</p>".encode()) == {name}


def test_the_signs_of_each_program_are_found_as_they_are_written() -> None:
    for sign in (sign for one in SOFTWARES for sign in one.signs):
        assert FORUM in named_in(f"<div>渡口{sign}的灯</div>".encode()), sign


def test_all_that_a_page_names_is_told() -> None:
    assert named_in("".join(f"<p>渡口{name}" for name in (*NAMES, "postmessage_")).encode()) == {*NAMES, FORUM}


def test_a_page_that_names_nothing_has_nothing_of_it() -> None:
    assert named_in("<article><h1>渡口</h1><p>天亮以前，渡口的灯还亮着。</p></article>".encode()) == frozenset()
    assert named_in(b"") == frozenset()
