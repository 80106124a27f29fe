"""A text is turned into letters when they are first asked for, and never again."""

import pytest

from fingerprinter.features.model import SEGMENT_LETTERS
from fingerprinter.initials.to_initials import to_initials
from matcher.retrieval.candidates import make_text_query
from wenhen.fingerprints.reading import TextReading


def test_the_letters_are_those_of_the_text_and_the_same_each_time() -> None:
    one = TextReading("渡口的灯 lights 12")
    assert one.letters.codes.tolist() == to_initials(one.text).codes.tolist()
    assert one.letters is one.letters


def test_a_text_whose_letters_nobody_asks_for_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenhen.fingerprints.reading.to_initials", None)
    assert TextReading("渡口").text == "渡口"


def test_the_queries_of_a_text_are_those_of_its_pieces_and_kept_where_it_is_short() -> None:
    short, long = TextReading("渡口的灯还亮着，" * 40), TextReading("渡口的灯还亮着，" * (SEGMENT_LETTERS // 5))
    for one, pieces in ((short, 1), (long, 2), (TextReading(""), 0)):
        assert len(one.queries) == pieces
        for number, query in enumerate(one.queries):
            begin = number * SEGMENT_LETTERS
            alone = make_text_query(one.letters.part(begin, begin + SEGMENT_LETTERS))
            assert query.features.values.tolist() == alone.features.values.tolist()
            assert query.letters == alone.letters
    assert short.queries is short.queries
