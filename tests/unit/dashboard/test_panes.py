"""Cutting a text at its passages loses nothing and marks exactly what they cover."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.cases.text_pieces import (
    CHUNK_CHARACTERS,
    CONTEXT_CHARACTERS,
    MAX_WHOLE_CHARACTERS,
    Span,
    chunk_pieces,
    cut_pieces,
)

TEXTS = st.text(alphabet="文痕河岸𠮷\n a", max_size=60)


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    borders = st.integers(-5, 70)
    found = draw(st.lists(st.tuples(st.integers(1, 5), borders, borders, st.sampled_from(["light", "verbatim"]))))
    return [Span(number, min(a, b), max(a, b), kind) for number, a, b, kind in found]


@given(TEXTS, spans())
def test_the_pieces_in_a_row_are_the_text(text: str, spans: list[Span]) -> None:
    assert "".join(piece.text for piece in cut_pieces(text, spans)) == text


@given(TEXTS, spans())
def test_a_character_is_marked_with_just_the_passages_that_cover_it(text: str, spans: list[Span]) -> None:
    at = 0
    for piece in cut_pieces(text, spans):
        for offset in range(at, at + len(piece.text)):
            covering = {span.passage for span in spans if max(0, span.start) <= offset < span.end}
            assert set(piece.passages) == covering
        at += len(piece.text)


@given(TEXTS, spans())
def test_every_passage_begins_once(text: str, spans: list[Span]) -> None:
    begun = [number for piece in cut_pieces(text, spans) for number in piece.begins]
    assert sorted(begun) == sorted({span.passage for span in spans})


def test_a_passage_is_numbered_where_its_words_begin() -> None:
    shown = cut_pieces("前言\n\n河堤上的槐树", [Span(1, 2, 10, "same", meet=4)])
    assert [(piece.text, piece.begins, piece.meet) for piece in shown] == [
        ("前言", (), None),
        ("\n\n", (), None),
        ("河堤上的槐树", (1,), 4),
    ]


def test_of_a_very_long_text_only_the_neighbourhood_of_passages_is_shown() -> None:
    text = "河" * (MAX_WHOLE_CHARACTERS + 1)
    shown = cut_pieces(text, [Span(1, 100_000, 100_010, "light")])
    assert sum(len(piece.text) + piece.left_out for piece in shown) == len(text)
    assert sum(len(piece.text) for piece in shown) == 4 * CONTEXT_CHARACTERS + 10


@given(TEXTS, spans(), st.integers(1, 400))
def test_chunks_hold_every_piece_of_the_text_once_and_end_with_a_line(text: str, spans: list[Span], times: int) -> None:
    long = text * times
    whole = cut_pieces(long, spans)
    cut = chunk_pieces(whole)
    assert "".join(piece.text for chunk in cut for piece in chunk) == long
    assert [n for chunk in cut for piece in chunk for n in piece.begins] == [n for piece in whole for n in piece.begins]
    for chunk in cut[:-1]:
        assert chunk[-1].text.endswith("\n")
        assert sum(len(piece.text) for piece in chunk) >= CHUNK_CHARACTERS
