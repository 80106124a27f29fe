"""What a page shows beside its matched text, with the reason."""

from crawler.extraction.dropped_text import find_dropped_text
from crawler.extraction.model import DroppedText, DropReason
from crawler.extraction.page import extract_html

HEADERS = (("Content-Type", "text/html; charset=utf-8"),)
URL = "https://copies.example/book/12.html"
LINES = [
    "河堤上的槐树开花的时候，修船的老人就把木凳搬到门外，一坐就是一个下午。",
    "他说，船底的缝要用桐油和麻丝一点一点填，填得急了，水就会从别的地方进来。",
    "孩子们听不懂，只记得那股油味，和傍晚时河面上慢慢散开的光，还有远处的汽笛。",
]
NOTICE = "本站所有章节均由网友整理，仅供学习交流，请在下载后二十四小时内删除。"


def page(body: str) -> bytes:
    """A page of a chapter, so that advertising inside its lines is left out."""
    return f"<html><head><title>第十二章 修船 - 河岸</title></head><body>{body}</body></html>".encode()


def told(body: bytes, text: str) -> list[tuple[str, str, str]]:
    """What is left out: before which words of the text, what, and why."""
    return [(text[one.offset :][:3], one.text, str(one.reason)) for one in find_dropped_text(body, HEADERS, URL, text)]


def test_menus_footers_and_comments_are_told_with_their_reasons() -> None:
    text = "".join(f"<p>{line}</p>" for line in LINES)
    body = page(
        '<div class="nav"><a href="/">首页</a> <a href="/new">最新章节</a></div>'
        f"<article>{text}</article>"
        '<div class="comments"><p>写得真好，等着看后面的故事。</p></div>'
        "<footer><p>版权所有 河岸网 京ICP备00000000号</p></footer>"
    )
    matched = extract_html(body, HEADERS, URL).text
    assert matched == "\n".join(LINES)
    assert told(body, matched) == [
        ("河堤上", "首页 最新章节", "navigation"),
        ("", "写得真好，等着看后面的故事。", "beside"),
        ("", "版权所有 河岸网 京ICP备00000000号", "furniture"),
    ]


def test_what_recurs_on_the_host_is_told_where_it_stood() -> None:
    body = page(f"<article><p>{LINES[0]}</p><p>{NOTICE}</p><p>{LINES[1]}</p><p>{LINES[2]}</p></article>")
    matched = "\n".join(LINES)  # without the host's template
    assert told(body, matched) == [("他说，", NOTICE, "recurring")]


def test_advertising_inside_a_sentence_is_told_to_the_character() -> None:
    advert = "【本书首发某某阁，记住网址 www.abc-xyz.com】"
    shown = [LINES[0], LINES[1][:9] + advert + LINES[1][9:], "请收藏本站：www.abc.com", LINES[2]]
    body = page("<article>" + "".join(f"<p>{line}</p>" for line in shown) + '</article><a href="13.html">下一章</a>')
    matched = "\n".join(LINES)
    assert find_dropped_text(body, HEADERS, URL, matched) == [
        DroppedText(len(LINES[0]) + 1 + 9, advert, DropReason.ADVERT, inside=True),
        DroppedText(len(LINES[0]) + len(LINES[1]) + 2, shown[2], DropReason.ADVERT),
        DroppedText(len(matched), "下一章", DropReason.NAVIGATION),
    ]


def test_a_line_that_a_menu_shows_too_moves_nothing_else() -> None:
    heading = "第十二章 修船"
    menu = "".join(f'<a href="/{n}">第{n}章</a><br>' for n in "一二三") + f'<a href="/12">{heading}</a>'
    text = "".join(f"<p>{line}</p>" for line in [*LINES, heading, NOTICE])
    beside = '<div class="sidebar"><p>本站公告，另见首页。</p></div>'
    body = page(f'<div class="nav">{menu}</div><article>{text}</article>{beside}')
    found = told(body, "\n".join([*LINES, heading, NOTICE]))
    assert found[0] == ("河堤上", "第一章\n第二章\n第三章", "navigation")
    assert found[1:] == [("", "本站公告，另见首页。", "beside")]


def test_a_page_that_was_matched_whole_has_nothing_beside() -> None:
    body = page("<article>" + "".join(f"<p>{line}</p>" for line in LINES) + "</article>")
    assert find_dropped_text(body, HEADERS, URL, "\n".join(LINES)) == []
    assert find_dropped_text(b"", HEADERS, URL, "") == []
