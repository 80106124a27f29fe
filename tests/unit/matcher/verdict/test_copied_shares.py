"""How much was copied: the characters of passages less their gaps, each once, unrounded."""

from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.initials.to_initials import to_initials
from matcher.alignment.aligned_span import Side, copied_length, copied_share, copied_spans, count_characters, count_text
from matcher.attribution.align_pair import align_pair
from matcher.model import Change, Passage
from wenhen.demo.articles import load_works


def passage(start: int, end: int, gaps: tuple[tuple[int, int], ...] = ()) -> Passage:
    return Passage(
        page_start=start,
        page_end=end,
        work_start=0,
        work_end=end - start,
        similarity=1.0,
        change=Change.LIGHT,
        page_gaps=gaps,
    )


def test_gaps_are_not_copied() -> None:
    one = passage(10, 110, ((20, 50), (100, 110)))
    assert list(copied_spans(one, Side.PAGE)) == [(10, 20), (50, 100)]
    assert copied_length([one], Side.PAGE) == 60
    assert copied_length([one], Side.WORK) == 100


def test_what_several_passages_cover_counts_once() -> None:
    assert copied_length([passage(0, 100), passage(50, 150)], Side.PAGE) == 150
    assert copied_length([passage(0, 100, ((40, 60),)), passage(50, 55)], Side.PAGE) == 85


def test_a_share_is_not_rounded_and_an_empty_text_has_none() -> None:
    assert copied_share([passage(0, 1)], Side.PAGE, count_text("三个字")) == 1 / 3
    assert copied_share([], Side.PAGE, count_text(" ")) == 0.0


def test_white_space_is_no_character() -> None:
    text = "\u3000\u3000天亮\u00a0以前，\r\n\t渡口 的灯\u2003还亮着。\n"
    letters = "天亮以前，渡口的灯还亮着。"
    assert count_characters(text) == len(letters)
    counted = count_text(text)
    assert copied_length([passage(0, len(text))], Side.PAGE, counted) == len(letters)
    assert copied_share([passage(0, text.index("，") + 1)], Side.PAGE, counted) == 5 / len(letters)
    assert copied_length([passage(0, 6), passage(2, 8)], Side.PAGE, counted) == len("天亮以前，")


@given(st.text("字 \u3000\n\u200ba\U00020000", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_what_is_counted_between_is_what_is_no_white_space(text: str, start: int, end: int) -> None:
    end = min(end, len(text))
    wanted = sum(not sign.isspace() for sign in text[start:end]) if start < end else 0
    assert count_text(text).between(min(start, end), end) == wanted


def test_a_page_without_the_indents_of_its_work_has_all_of_it() -> None:
    plain = max((draft.text for draft in load_works().values()), key=len)[:900].replace("\n", "")
    indented = "\n".join("\u3000\u3000" + plain[at : at + 60] for at in range(0, len(plain), 60))
    for page, work in ((plain, indented), (indented, plain)):
        found = align_pair(page, to_initials(page), work, to_initials(work))
        assert found
        assert (found.verdict.share_of_page, found.verdict.share_of_work) == (1.0, 1.0)


@given(
    st.integers(0, 200),
    st.lists(st.integers(0, 600), max_size=6),
    st.text("【】请收藏本站网址", min_size=1, max_size=30),
)
def test_what_is_put_in_between_is_never_counted(start: int, places: list[int], advert: str) -> None:
    work = max((draft.text for draft in load_works().values()), key=len)
    passage = work[start : start + 600]
    page = passage
    for place in sorted(places, reverse=True):
        page = page[:place] + advert + page[place:]
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found
    assert copied_length(found.passages, Side.WORK) <= len(passage) + 8 * (1 + len(places))
    assert copied_length(found.passages, Side.PAGE) <= len(passage) + (len(advert) // 4 + 8) * (1 + len(places))
    if not places:
        assert found.verdict.share_of_page == 1.0


def test_the_reasons_say_what_the_tiles_say() -> None:
    work = max((draft.text for draft in load_works().values()), key=len)
    page = work[:997] + "以上内容与作品无关。"
    found = align_pair(page, to_initials(page), work, to_initials(work))
    assert found
    assert f"share_of_page:{found.verdict.share_of_page}" in found.verdict.reasons
    assert f"share_of_work:{found.verdict.share_of_work}" in found.verdict.reasons
