"""A text is turned into letters when they are first asked for, and never again."""

import pytest

from fingerprinter.initials.to_initials import to_initials
from wenhen.fingerprints.reading import TextReading


def test_the_letters_are_those_of_the_text_and_the_same_each_time() -> None:
    one = TextReading("渡口的灯 lights 12")
    assert one.letters.codes.tolist() == to_initials(one.text).codes.tolist()
    assert one.letters is one.letters


def test_a_text_whose_letters_nobody_asks_for_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenhen.fingerprints.reading.to_initials", None)
    assert TextReading("渡口").text == "渡口"
