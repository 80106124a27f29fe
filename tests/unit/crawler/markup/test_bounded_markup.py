"""What is left out of a page before it is parsed, and that nearly no page has any of it."""

from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.parsing import LONG_TAG_CHARACTERS, MAX_OPEN_FORMATTING, bound_markup, lowercase_utf8

PIECES = st.sampled_from(
    ["<b>", "</B>", "<FONT color=red>", "</font>", "<div>", "</div>", "<p>", "渡口", "<option>", "x " * 300]
)


@given(st.lists(st.tuples(PIECES, st.integers(1, 60)), max_size=30))
def test_a_page_is_bounded_alike_whether_its_small_letters_are_at_hand_or_not(parts: list[tuple[str, int]]) -> None:
    html = "".join(piece * times for piece, times in parts)
    assert bound_markup(html, lowercase_utf8(html)) == bound_markup(html)


def test_formatting_that_nobody_closes_ends_somewhere_also_where_it_is_written_large() -> None:
    html = "<P>渡口" * 1_000 + "<FONT>" * (MAX_OPEN_FORMATTING + 5)
    assert bound_markup(html).count("<FONT") == MAX_OPEN_FORMATTING


def test_the_length_of_a_tag_is_counted_in_characters_and_not_in_bytes() -> None:
    words = "渡 " * (LONG_TAG_CHARACTERS // 3)
    assert bound_markup(f"<p title='{words}'>渡口") == f"<p title='{words}'>渡口"
    assert "渡" not in bound_markup(f"<p title='{words * 2}'>口")


def test_a_long_tag_is_found_wherever_it_stands_and_behind_whatever_text() -> None:
    words = "x " * LONG_TAG_CHARACTERS
    for before in (
        "",
        "渡口" * LONG_TAG_CHARACTERS,
        "<p>" + "渡口" * LONG_TAG_CHARACTERS,
        "<p>渡口</p>" * LONG_TAG_CHARACTERS,
    ):
        assert bound_markup(f"{before}<p {words}>口") == f"{before}<p>口"
