"""Advertising and marks of origin inside the text of a chapter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.boilerplate.watermarks import strip_watermarks
from crawler.extraction.page import extract_html

LINE = "他抬头看了看天色，说北边的云压得低，晌午以前怕是有雨，叫我们赶紧上船。"
MARKS = (
    "【本书首发某某阁，记住网址 www.abc-xyz.com】",
    "（手 机 用 户 请 浏 览 m.abcxyz.net 阅读，更优质的阅读体验。）",
    "[一*秒*记*住 某某小说网 ｗｗｗ．ａｂｃ．ｃｏｍ]",
    "「请收藏本站：ωωω。abc。cc」",
)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("place", [0, 8, 9, len(LINE)])
def test_a_bracketed_mark_is_taken_out_of_a_sentence_wherever_it_stands(mark: str, place: int) -> None:
    assert strip_watermarks([LINE[:place] + mark + LINE[place:]]) == [LINE]


@pytest.mark.parametrize(
    "address",
    [
        "www.abcxyz.com",
        "w w w . a b c x y z . n e t",
        "ｗｗｗ．ａｂｃｘｙｚ．ｃｏｍ",
        "w-w-w·abcxyz·la",
        "三W点abc点com",
    ],
)
def test_an_address_between_two_clauses_is_taken_out(address: str) -> None:
    assert strip_watermarks([LINE[:9] + address + LINE[9:]]) == [LINE]


def test_a_phrase_without_brackets_goes_with_its_clause() -> None:
    assert strip_watermarks([LINE[:8] + "手机用户请浏览m.abc.com阅读" + LINE[8:]]) == [LINE]


@pytest.mark.parametrize(
    "line",
    [
        "天才一秒记住本站地址：[某某阁] https://www.abc.net/最快更新！无广告！",
        "（本章未完，请点击下一页继续阅读）",
        "喜欢渡口请大家收藏：（www.abc.com）渡口某某小说网更新速度最快。",
        "本*书*首*发*于*某某阁",
        "书友群：123456789，欢迎加入！求月票！",
        "手机用户请到m.abc.com阅读。",
        "注册即送大礼包，点击领取",
    ],
)
def test_a_line_that_is_nothing_else_goes_altogether(line: str) -> None:
    assert strip_watermarks([LINE, line, LINE]) == [LINE, LINE]


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        "他说：“下一章的事，下一章再说。”",
        "本场的首发阵容已经公布，请收藏好这张名单。",
        "记住，网中的鱼要趁活卖；手机放在石阶上，不要碰水。",
        "她求他订一张船票，月底以前送到河口。",
        "（这是外婆的地址，千万记住。）",
        "第三章 雨点",
        "“好。”",
    ],
)
def test_a_sentence_of_the_story_stays_as_it_is(line: str) -> None:
    assert strip_watermarks([line]) == [line]


@given(st.lists(st.text(max_size=80), max_size=5))
def test_what_is_left_was_there_in_this_order(lines: list[str]) -> None:
    for line in strip_watermarks(lines):
        assert any(_is_within(line, whole) for whole in lines)


def _is_within(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(character in rest for character in part)


def test_only_pages_of_a_novel_are_cleaned() -> None:
    note = "手机用户请浏览m.abc.com，那里有适合小屏幕的版式，本手册的其余部分与此无关。"
    page = f"<title>手册</title><p>{LINE}</p><p>{note}</p>"
    assert note in extract_html(page.encode(), [], "").text
    chapter = page + "<a href=2.html>下一章</a>"
    assert "手机用户" not in extract_html(chapter.encode(), [], "http://a.test/1.html").text
