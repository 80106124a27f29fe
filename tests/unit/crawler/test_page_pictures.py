"""Large pictures of pages with little text are taken for that text; what is written there is put where they stand."""

import pytest

from crawler.extraction.model import Box, PictureLine, PictureText
from crawler.extraction.page import extract_html
from crawler.extraction.parsing import parse_page
from crawler.extraction.pictures import ENOUGH_PAGE_HAN, find_text_pictures

URL = "http://a.test/book/7.html"
PROSE = "他把那封旧信从抽屉里取出来，读了两遍，又放回原处。"


def addresses(html: str) -> list[str]:
    return [one.address for one in find_text_pictures(parse_page(URL, html.encode(), "text/html; charset=utf-8"))]


def test_pictures_are_known_by_the_address_that_a_script_shows_later_and_each_once() -> None:
    html = "<img src=wait.png data-original='../p/1.png'><img src=/p/1.png><img src=//cdn.test/2.jpg width=800>"
    assert addresses(html) == ["http://a.test/p/1.png", "http://cdn.test/2.jpg"]


@pytest.mark.parametrize(
    "html",
    [
        f"<img src=1.png><p>{'字' * ENOUGH_PAGE_HAN}</p>",
        "<img src=1.png width=120>",
        "<img src=1.svg>",
        "<img src=/site-logo.png>",
        "<img src=1.png class='user avatar'>",
        "<nav><p><img src=1.png></p></nav>",
        "<a href=/a><img src=1.png></a><a href=/b><img src=2.png></a>",
        "<img src='data:image/png;base64,AAAA'>",
        "<img src='http://[broken/1.png'>",
    ],
)
def test_furniture_and_pictures_beside_a_text_or_of_other_pages_are_none(html: str) -> None:
    assert addresses(html) == []


def test_a_picture_that_leads_to_the_next_page_may_hold_the_text() -> None:
    assert addresses("<a href=/8.html><img src=1.png></a><a href=/8.html><img src=2.png></a>") == [
        "http://a.test/book/1.png",
        "http://a.test/book/2.png",
    ]


def test_what_is_written_in_a_picture_stands_in_its_place_and_each_line_is_found_in_the_text() -> None:
    lines = (
        PictureLine(text="渡船靠岸的时候天已经", box=Box(0, 0, 300, 30)),
        PictureLine(text="黑了，石阶上没有人。", box=Box(0, 40, 300, 70), begins=False),
        PictureLine(text="第二天清早，老陈又把船板擦了一遍。", box=Box(0, 80, 300, 110)),
    )
    html = f"<div><p>{PROSE}</p><a href=/8.html><img src=1.png></a><p>{PROSE}</p></div>"
    page = extract_html(html.encode(), (), URL, {"http://a.test/book/1.png": PictureText(id="one", lines=lines)})
    assert page.text.split("\n") == [PROSE, lines[0].text + lines[1].text, lines[2].text, PROSE]
    assert [(page.text[one.start : one.end], one.line, one.box) for one in page.pictures] == [
        (line.text, at, line.box) for at, line in enumerate(lines, 1)
    ]
    assert {(one.picture, one.number) for one in page.pictures} == {("one", 1)}
