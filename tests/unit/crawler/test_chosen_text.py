"""The text of a page where a person said that it stands."""

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.boilerplate.main_text import select_text_lines
from crawler.extraction.page import extract_html

PAGE = (
    "<html><body><div id='menu'>目录 上一章 下一章</div><div class='a b'>第一句在这里。<p>第二句在里面。</p></div>"
    "<div class='note'>这一段长长的说明比正文还长，谁都会以为它才是这一页的正文，其实不是。</div></body></html>"
)
HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


def test_the_lines_of_the_elements_are_the_text_and_none_stands_there_twice() -> None:
    tree = LexborHTMLParser(PAGE)
    assert select_text_lines(tree, ".a, p, .b") == ["第一句在这里。", "第二句在里面。"]
    assert select_text_lines(tree, "#other") == []


def test_a_page_that_the_selector_does_not_fit_is_read_as_any_other() -> None:
    read = [extract_html(PAGE.encode(), HEADERS, "http://a.example/", text_at=at).text for at in (".a", "#other", None)]
    assert read[0] == "第一句在这里。\n第二句在里面。"
    assert read[1] == read[2] != read[0]
