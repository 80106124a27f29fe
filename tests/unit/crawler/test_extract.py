"""Pages of the kinds that copies stand on, to their text."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.extraction.model import CUT_OFF_PROBLEM, NO_TEXT_PROBLEM, ExtractedPage
from crawler.extraction.page import extract_html

FIRST = "清早的码头上雾还没有散，卖鱼的人已经把木桶一只一只搬到了石阶旁边。"
SECOND = "她数了数口袋里的铜板，觉得够买一条鲫鱼，便站住了脚，等那个穿蓝布衫的老人抬起头来。"
THIRD = "老人没有说话，只是把最肥的一条拣出来，用稻草穿了鳃，递到她手里。"
MENU = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("首页", "新闻", "体育", "娱乐", "财经", "读书"))
COMMENT = "写得真好，我小时候也住在码头旁边，每天早上都能听见卖鱼的吆喝声，现在再也听不到了，真是怀念。"


def read(body: str, head: str = "<title>雾</title>", url: str = "http://a.test/1.html") -> ExtractedPage:
    return extract_html(f"<html><head>{head}</head><body>{body}</body></html>".encode(), [], url)


def test_a_news_page_gives_its_paragraphs_without_what_stands_around_them() -> None:
    page = read(
        f"<div class=top><ul>{MENU}</ul></div><h1>雾</h1>"
        f"<div class=content><p>{FIRST}</p><p>{SECOND}</p>"
        f"<div class=ad-box>限时特惠，全场五折，快来抢购吧！</div><p>{THIRD}</p></div>"
        f"<div class=comment-list><p>{COMMENT}</p><p>{COMMENT}</p><p>{COMMENT}</p></div>"
        f"<div class=recommend><p>今晚的月亮为什么这样圆，专家这样解释，看完之后大家都沉默了。</p></div>"
        f"<div class=side><ul>{MENU}</ul></div><footer>版权所有，未经许可不得转载，违者必究。</footer>"
    )
    assert page.text == "\n".join((FIRST, SECOND, THIRD))
    assert page.problems == ()


def test_a_novel_page_whose_lines_end_in_br_keeps_them_as_paragraphs() -> None:
    lines = "<br><br>\n&nbsp;&nbsp;&nbsp;&nbsp;".join((FIRST, SECOND, THIRD))
    page = read(
        f"<div id=wrapper><div class=nav>{MENU}</div><div class=bookname><h1>第三章 码头</h1><a href=2>上一章</a></div>"
        f"<div id=content>　　{lines}<br><script>read_ad();</script><br>本章未完，点击下一页继续阅读</div>"
        f"<div class=bottem><a href=2>上一章</a> <a href=0>目录</a> <a href=4>下一页</a></div></div>"
    )
    assert page.text.split("\n")[:3] == [FIRST, SECOND, THIRD]
    assert "上一章" not in page.text
    assert "read_ad" not in page.text


def test_text_on_both_sides_of_an_advert_is_kept() -> None:
    page = read(
        f"<div id=c>{FIRST}<div class=ads><a href=x>点我领红包</a></div>{SECOND}<iframe src=ad></iframe>{THIRD}</div>"
    )
    assert page.text == f"{FIRST}\n{SECOND}{THIRD}"


@pytest.mark.parametrize("words", ["发表于 3 天前", "回复 举报"])
def test_words_as_on_buttons_are_text_between_two_lines_of_one_element_only(words: str) -> None:
    assert read(f"<div>{FIRST}<br>{words}<br>{SECOND}<br>{words}</div>").text == f"{FIRST}\n{words}\n{SECOND}"
    around = f"<div><p>{FIRST}</p><p>{words}</p><div>{SECOND}<br><a href=x>{words}</a><br>{THIRD}</div></div>"
    assert read(around).text == f"{FIRST}\n{SECOND}\n{THIRD}"


@pytest.mark.parametrize("stray", ["<?php echo 1 ?>", "<?xml version='1.0'?>", "<![CDATA[x]]>", "<!ELEMENT a>", "<!>"])
def test_what_is_no_element_is_passed_over(stray: str) -> None:
    page = read(f"{stray}<p>{stray}{FIRST}{stray}</p><p>{SECOND}{stray}{THIRD}</p>")
    assert page.text == f"{FIRST}\n{SECOND}{THIRD}"


@pytest.mark.parametrize("tags", ["<div>", "<pre>", "<ul><li>", "<table><tr><td>"])
def test_a_text_behind_more_open_blocks_than_a_browser_nests_is_read_as_it_is_shown(tags: str) -> None:
    assert read(f"{tags * 4_000}<p>{FIRST}</p><p>{SECOND}</p>{THIRD}").text == f"{FIRST}\n{SECOND}\n{THIRD}"


def test_inline_elements_do_not_break_a_line_and_white_space_is_one_space() -> None:
    page = read(f"<p>{FIRST[:8]}<b>{FIRST[8:12]}</b><a href=x>{FIRST[12:14]}</a>\n\t {FIRST[14:]}</p><p>{SECOND}</p>")
    assert page.text == f"{FIRST[:14]} {FIRST[14:]}\n{SECOND}"


def test_preformatted_text_keeps_its_lines() -> None:
    assert read(f"<pre>{FIRST}\n{SECOND}\n\n{THIRD}</pre>").text == "\n".join((FIRST, SECOND, THIRD))


def test_what_is_hidden_by_style_is_not_read() -> None:
    page = read(
        f"<p>{FIRST}<span style='display: none'>本站网址</span></p><p style='DISPLAY:NONE'>{THIRD}</p><p>{SECOND}</p>"
    )
    assert page.text == f"{FIRST}\n{SECOND}"


def test_a_wrapper_with_a_misleading_name_is_not_taken_away() -> None:
    page = read(
        f"<div class='page has-sidebar ad-free'><div class=comment-box><p>{FIRST}{SECOND}</p><p>{THIRD}</p></div></div>"
    )
    assert page.text == f"{FIRST}{SECOND}\n{THIRD}"


def test_the_posts_of_a_forum_are_its_text_though_they_are_called_comments() -> None:
    posts = "".join(f"<div class=comment><p>{line}</p></div>" for line in (FIRST, SECOND, THIRD, COMMENT) * 3)
    page = read(f"<ul>{MENU}</ul><div id=thread>{posts}</div>")
    assert page.text.split("\n") == [FIRST, SECOND, THIRD, COMMENT] * 3


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<img src=a.png>",
        f"<ul>{MENU}</ul>",
        "<script>document.write('一段由脚本写出来的话，不在页面里，因此读不到。')</script>",
        "<p>   </p>",
    ],
)
def test_a_page_without_text_gives_an_empty_text_and_says_so(body: str) -> None:
    page = read(body)
    assert page.text == ""
    assert NO_TEXT_PROBLEM in page.problems


def test_a_list_of_articles_has_little_text_or_none() -> None:
    items = "".join(
        f"<li><a href=/{n}>第{n}章 码头上的清早，雾还没有散</a> <span>2024-03-{n:02}</span></li>" for n in range(1, 29)
    )
    assert len(read(f"<h1>目录</h1><ul class=list>{items}</ul>").text) < 30


def test_charset_lies_reach_the_text_as_a_problem_only() -> None:
    body = f"<meta charset=utf-8><p>{FIRST}</p><p>{SECOND}</p>".encode("gb18030")
    page = extract_html(body, [("Content-Type", "text/html; charset=big5")], "http://a.test/")
    assert page.text == f"{FIRST}\n{SECOND}"
    assert page.charset == "gb18030"
    assert [*map(str, page.problems)] == ["declared as big5hkscs, read as gb18030"]


@settings(max_examples=200)
@given(st.binary(max_size=600))
def test_any_bytes_give_a_result(body: bytes) -> None:
    page = extract_html(body, [], "")
    assert page.text == "\n".join(line.strip() for line in page.text.split("\n") if line.strip())


TAGS = st.sampled_from(["div", "p", "a href=x", "pre", "table", "li", "br", "/div", "!--", "svg"])
TANGLED = st.recursive(
    st.sampled_from([FIRST, "x", " "]), lambda inner: st.builds("<{0}>{1}{2}".format, TAGS, inner, inner)
)


@settings(max_examples=100)
@given(TANGLED)
def test_markup_never_shows_in_the_text(body: str) -> None:
    assert "<div" not in extract_html(body.encode(), [], "").text


@pytest.mark.timeout(120)  # left unbounded, the first would take many minutes
@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 400_000 + FIRST.encode(),
        b"<b class=x>" * 500_000 + FIRST.encode(),
        b"<p>" + b"x" * 20_000_000,
        b"<" * 9_000_000,
    ],
    ids=["deep blocks", "deep inline", "one long line", "no markup"],
)
def test_huge_and_deep_pages_end_and_say_that_they_were_cut(body: bytes) -> None:
    assert CUT_OFF_PROBLEM in extract_html(body, [], "").problems


@pytest.mark.timeout(60)  # what takes time with the square of its length would take hours
@pytest.mark.parametrize(
    "body",
    [
        "<style>" + "/*" * 100_000,
        "<style>display:none" + "@x" * 100_000,
        "<style>display:none" + "x{" * 100_000,
        "<style>display:none" + "x" * 200_000,
        "<p>推荐阅读</p>" * 40_000,
        "<p>" + "1-" * 100_000,
        "<p>" + "a1点" * 60_000,
        "<title>第一章</title><a href=2>下一章</a><p>" + "w.w.w." * 50_000,
        "<a href=x>下一页</a>" * 20_000,
        "<p " + "".join(f"a{n} " for n in range(200_000)) + ">",
        "".join(f"<body a{n}>" for n in range(80_000)),
        "".join(f"<html a{n}>" for n in range(80_000)),
        "<select>" + "<option>a" * 100_000,
        "<pre>\n" * 100_000,
        "".join(f"<font color={n}>" for n in range(60_000)),
        "".join(f"<font color={n}><p>" for n in range(20_000)),
        "<b><i>" * 100_000,
        f"<meta property=og:title content='雾{' ' * 400_000}码头'>",
        '<script type="application/ld+json">{"@type": "Article", "headline": "a' + " " * 400_000 + 'b"}</script>',
        "<p>" + "a" * 400_000 + " http://x",
    ],
    ids=[
        "comments",
        "at-rules",
        "open rules",
        "no rule",
        "headings",
        "digits",
        "addresses",
        "marks",
        "links on",
        "attributes",
        "bodies",
        "wholes",
        "options",
        "preformatted",
        "fonts",
        "fonts and paragraphs",
        "formatting",
        "title",
        "headline",
        "no address",
    ],
)
def test_no_page_takes_more_time_than_its_length_is_worth(body: str) -> None:
    assert extract_html(f"{body}</style><p>{FIRST}</p>".encode(), [], "http://a.test/1").charset == "utf-8"


def test_title_author_and_time_come_from_the_metadata_where_it_has_them() -> None:
    page = read(
        f"<h1>另一个</h1><p>作者：别人</p><p>2020-01-01</p><p>{FIRST}</p>",
        "<title>雾中码头_某某网</title><meta property='og:title' content=' 雾中码头 '><meta name=author content=林溪>"
        "<meta property='article:published_time' content='2024-03-05T08:30:00+08:00'>",
    )
    assert (page.title, page.author) == ("雾中码头", "林溪")
    assert page.published_at == datetime(2024, 3, 5, 0, 30, tzinfo=UTC)


def test_else_they_come_from_what_the_page_shows() -> None:
    page = read(
        f"<h1>雾中码头</h1><p>作者：林溪　来源：河口晚报</p><p>2024年3月5日 08:30</p><p>{FIRST}</p>",
        "<title>雾中码头_散文_某某网</title>",
    )
    assert (page.title, page.author) == ("雾中码头", "林溪")
    assert page.published_at == datetime(2024, 3, 5, 0, 30, tzinfo=UTC)


def test_at_the_last_the_address_gives_the_day() -> None:
    page = read(f"<p>{FIRST}</p>", "<title>雾 - 某某网</title>", "http://a.test/2024/0305/c12.html")
    assert page.title == "雾"
    assert page.author is None
    assert page.published_at == datetime(2024, 3, 4, 16, tzinfo=UTC)


@pytest.mark.parametrize("date", ["2024-13-45", "0000年1月1日", "2024-02-30", "99999999999"])
def test_impossible_dates_are_no_dates(date: str) -> None:
    assert read(f"<p>{date}</p><p>{FIRST}</p>").published_at is None


def test_what_a_page_states_about_itself_is_told() -> None:
    page = read(
        f"<p>{FIRST}</p>",
        head="<link rel='shortcut icon' href=/i.png><link REL='Canonical' href='/fog?id=1'>"
        "<meta property=og:site_name content=' 江边日报 '><meta property=og:url content=http://b.test/>"
        "<meta property=og:locale content=zh_TW>",
    )
    assert (page.site_name, page.canonical, page.language) == ("江边日报", "http://a.test/fog?id=1", "zh-TW")


def test_what_a_page_does_not_state_is_not_made_up() -> None:
    page = read("<p>A short note, in English, about nothing in particular, for whoever reads it.</p>")
    assert (page.site_name, page.canonical, page.language, page.author, page.published_at) == (None,) * 5


@pytest.mark.parametrize("href", ["", " ", "javascript:history.back()", "http://[oops", "mailto:a@b.test"])
def test_a_canonical_address_that_is_none_is_passed_over(href: str) -> None:
    head = f"<link rel=canonical href='{href}'><meta property=og:url content=http://b.test/x>"
    assert read(f"<p>{FIRST}</p>", head=head).canonical == "http://b.test/x"


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("en", FIRST, "zh"),
        ("zh-Hant", FIRST, "zh-Hant"),
        ("zh-CN", "霧がまだ晴れない朝の港で、魚を売る人たちはもう桶を石段のそばへ運んでいた。", "ja"),
        ("de", "Ein kurzer Satz, der nichts weiter sagt, als dass er hier steht.", "de"),
        ("?!", "A sentence, that says nothing but that it stands here, on this page.", None),
    ],
)
def test_the_language_is_the_declared_one_unless_the_characters_say_otherwise(
    declared: str, text: str, language: str | None
) -> None:
    assert extract_html(f"<html lang='{declared}'><body><p>{text}</p>".encode(), [], "").language == language


def test_a_saved_page_without_an_address_is_dated_by_the_one_that_it_names() -> None:
    body = f"<link rel=canonical href='http://a.test/2021/03/05/fog.html'><p>{FIRST}</p>".encode()
    assert extract_html(body, [], "").published_at == datetime(2021, 3, 4, 16, tzinfo=UTC)
