"""Characters that share a letter: the same one, two forms of one, or two that only sound the same."""

import numpy as np
import pytest

from fingerprinter.alphabet import code_points
from matcher.alignment.agreement import count_sameness, is_variant


@pytest.mark.parametrize(
    ("one", "other"),
    [("後", "后"), ("於", "于"), ("髮", "发"), ("發", "发"), ("裏", "裡"), ("爲", "為"), ("里", "裡"), ("Ａ", "a")],
)
def test_forms_of_one_character_are_variants_whichever_comes_first(one: str, other: str) -> None:
    assert is_variant(one, other)
    assert is_variant(other, one)


@pytest.mark.parametrize(("one", "other"), [("髮", "發"), ("在", "再"), ("后", "候"), ("a", "b")])
def test_what_only_sounds_the_same_is_none(one: str, other: str) -> None:
    assert not is_variant(one, other)
    assert not is_variant(other, one)


def test_each_letter_counts_once() -> None:
    others = np.stack((code_points("來在說後來"), code_points("来再说后来")), axis=1)
    assert count_sameness(7, others) == (2, 4, 1)


def test_of_nothing_there_is_nothing() -> None:
    assert sum(count_sameness(0, np.empty((0, 2), np.uint32))) == 0
