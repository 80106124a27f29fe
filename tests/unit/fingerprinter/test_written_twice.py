"""Characters that are written twice, and what an override shows the other way round, are read as the plain text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.obfuscation import has_doubles, remove_doubles
from fingerprinter.normalize.reading_order import display_order

STORY = "渡口的老人说，今天的风太大，你们还是回去吧。"
OVERRIDE, END = "\u202e", "\u202c"


def letters(text: str) -> list[int]:
    codes: list[int] = to_initials(text).codes.tolist()
    return codes


def test_a_text_whose_characters_are_written_twice_has_the_letters_of_the_text() -> None:
    assert letters("".join(char * 2 for char in STORY)) == letters(STORY)


@pytest.mark.parametrize(
    "written", ["他高高兴兴地看了看慢慢走来的人，人人都说好好好", "寻寻觅觅，冷冷清清，凄凄惨惨戚戚", "哈哈" * 20]
)
def test_words_that_are_written_so_by_themselves_stay(written: str) -> None:
    points = code_points(written)
    assert not has_doubles(points)
    assert np.array_equal(remove_doubles(points), points)


@pytest.mark.parametrize(
    "written",
    [
        OVERRIDE + STORY[::-1],
        OVERRIDE + STORY[::-1] + END,
        STORY[:5] + OVERRIDE + STORY[5:12][::-1] + END + STORY[12:],
    ],
)
def test_what_an_override_turns_round_is_read_as_it_is_shown(written: str) -> None:
    assert letters(written) == letters(STORY)


def test_an_override_ends_with_its_line() -> None:
    assert letters(f"{OVERRIDE}{STORY[::-1]}\n{STORY}") == letters(STORY * 2)


@given(st.text(st.sampled_from(["我", "们", OVERRIDE, END, "\n"]), max_size=24))
def test_an_order_leaves_nothing_out_and_repeats_nothing(text: str) -> None:
    order = display_order(code_points(text))
    assert (order is None) == (OVERRIDE not in text)
    assert order is None or sorted(order.tolist()) == list(range(len(text)))
