"""What is left out of a page before it is parsed, and that nearly no page has any of it."""

from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.page import extract_html
from crawler.extraction.parsing import (
    FORMATTING_TAGS,
    HARMLESS_ROOT_TAGS,
    LONG_TAG_CHARACTERS,
    MAX_OPEN_FORMATTING,
    MAX_OPTIONS,
    MAX_ROOT_WORDS,
    MAX_TAGS,
    WATCHED_TAG,
    bound_markup,
    exceeds_budget,
    is_text_left_out,
    lowercase_utf8,
)

PIECES = st.sampled_from(
    ["<b>", "</B>", "<FONT color=red>", "</font>", "<div>", "</div>", "<p>", "渡口", "<option>", "x " * 300]
)


@given(st.lists(st.tuples(PIECES, st.integers(1, 60)), max_size=30))
def test_a_page_is_bounded_alike_whether_its_small_letters_are_at_hand_or_not(parts: list[tuple[str, int]]) -> None:
    html = "".join(piece * times for piece, times in parts)
    assert bound_markup(html, lowercase_utf8(html)) == bound_markup(html)


@given(st.lists(st.tuples(PIECES | st.sampled_from(["<html>", "<body>"]), st.integers(1, 1_500)), max_size=12))
def test_one_pass_over_all_tags_tells_what_counting_them_one_by_one_tells(parts: list[tuple[str, int]]) -> None:
    tags = WATCHED_TAG.findall("".join(piece * times for piece, times in parts).lower().encode())
    assert exceeds_budget(tags) == exceeds_budget_one_by_one(tags)


def exceeds_budget_one_by_one(tags: list[tuple[bytes, bytes]]) -> bool:
    """The rule as it is meant: what is open at each tag, and how many roots and options came before it."""
    formatting = roots = options = 0
    for slash, name in tags:
        if name.decode() in FORMATTING_TAGS:
            formatting = max(0, formatting - 1) if slash else formatting + 1
        elif not slash:
            roots += name != b"option"
            options += name == b"option"
        if formatting > MAX_OPEN_FORMATTING or roots > HARMLESS_ROOT_TAGS or options > MAX_OPTIONS:
            return True
    return False


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


OLD_BROWSERS = "".join(f'<!--[if IE {n}]> <html class="ie{n}" lang="zh-CN"> <![endif]-->' for n in range(5, 9))
PROSE = "".join(f"<p>第{n}天，渡船照常开了，坐船的人比前一天又多了几个。</p>" for n in range(400))


def test_a_page_with_comments_for_old_browsers_keeps_its_root_and_is_read_whole() -> None:
    shown = '<!--[if gt IE 8]><!--><html lang="zh-CN"><!--<![endif]-->'
    html = f"{OLD_BROWSERS}{shown}<body class=single>{PROSE}</body></html>"
    page = extract_html(html.encode(), (), "")
    assert bound_markup(html) == html
    assert (page.language, page.problems) == ("zh-CN", ())


def test_the_attributes_of_roots_are_bounded_whatever_their_number() -> None:
    html = "".join(f"<html a{n}=1>" for n in range(MAX_ROOT_WORDS + 50)) + 2 * PROSE
    bounded = bound_markup(html)
    assert f"a{MAX_ROOT_WORDS - 1}=1" in bounded
    assert f"a{MAX_ROOT_WORDS + 1}=1" not in bounded


def test_what_no_reader_misses_is_left_out_without_a_note() -> None:
    drawing = f"<svg><path d='{'M 1 1 ' * 3_000}'/></svg>"
    script = "<script>" + "if (a<b) { c() }\n" * 200 + "</script>"
    page = extract_html(f"<html><body>{PROSE}{drawing}{script}</body></html>".encode(), (), "")
    assert page.problems == ()
    assert "第399天" in page.text


def test_a_bound_is_noted_where_text_stands_behind_it() -> None:
    spans = "<i></i>" * MAX_TAGS
    assert is_text_left_out(f"<p>渡口{spans}<p>还有一句")
    assert not is_text_left_out(f"<p>渡口{spans}</p><script>var a = 1</script><!-- 完 -->")
