"""A text is turned into letters when they are first asked for, and never again."""

import pytest

from fingerprinter.normalize.read_letters import read_letters
from pipeline.matching.text_with_letters import Reading


def test_the_letters_are_those_of_the_text_and_the_same_each_time() -> None:
    one = Reading("渡口的灯 lights 12")
    assert one.letters.codes.tolist() == read_letters(one.text).codes.tolist()
    assert one.letters is one.letters


def test_a_text_whose_letters_nobody_asks_for_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.matching.text_with_letters.read_letters", None)
    assert Reading("渡口").text == "渡口"
