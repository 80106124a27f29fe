"""What is left out of a page before it is parsed, and that nearly no page has any of it."""

from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.markup.bounded_markup import LONG_TAG, MOST_FORMATTING, bounded, in_small_letters

PIECES = st.sampled_from(
    ["<b>", "</B>", "<FONT color=red>", "</font>", "<div>", "</div>", "<p>", "渡口", "<option>", "x " * 300]
)


@given(st.lists(st.tuples(PIECES, st.integers(1, 60)), max_size=30))
def test_a_page_is_bounded_alike_whether_its_small_letters_are_at_hand_or_not(parts: list[tuple[str, int]]) -> None:
    html = "".join(piece * times for piece, times in parts)
    assert bounded(html, in_small_letters(html)) == bounded(html)


def test_formatting_that_nobody_closes_ends_somewhere_also_where_it_is_written_large() -> None:
    html = "<P>渡口" * 1_000 + "<FONT>" * (MOST_FORMATTING + 5)
    assert bounded(html).count("<FONT") == MOST_FORMATTING


def test_the_length_of_a_tag_is_counted_in_characters_and_not_in_bytes() -> None:
    words = "渡 " * (LONG_TAG // 3)
    assert bounded(f"<p title='{words}'>渡口") == f"<p title='{words}'>渡口"
    assert "渡" not in bounded(f"<p title='{words * 2}'>口")


def test_a_long_tag_is_found_wherever_it_stands_and_behind_whatever_text() -> None:
    words = "x " * LONG_TAG
    for before in ("", "渡口" * LONG_TAG, "<p>" + "渡口" * LONG_TAG, "<p>渡口</p>" * LONG_TAG):
        assert bounded(f"{before}<p {words}>口") == f"{before}<p>口"
