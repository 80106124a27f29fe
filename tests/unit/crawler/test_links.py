"""The links of a page, however it was written."""

import subprocess
import sys

import pytest
from scrapy.linkextractors import IGNORED_EXTENSIONS

from crawler.extraction.documents.file_kinds import FILE_ENDINGS
from crawler.extraction.links import NON_PAGE_ENDINGS, extract_links
from crawler.extraction.parsing import ParsedPage

HERE = "http://a.test/book/1.html"


def led_to(*targets: str, head: str = "", charset: str = "utf-8") -> list[str]:
    anchors = "".join(f'<a href="{target}">x</a>' for target in targets)
    return [url for url, _ in extract_links(ParsedPage(HERE, f"<head>{head}</head>{anchors}", charset))]


def test_addresses_are_read_as_browsers_read_them() -> None:
    assert led_to(r"\book\2.html", " 3.html\n", "/bo\nok/4.html", "//b.test/", "?p=2", "../5.html#end") == [
        "http://a.test/book/2.html",
        "http://a.test/book/3.html",
        "http://a.test/book/4.html",
        "http://b.test/",
        "http://a.test/book/1.html?p=2",
        "http://a.test/5.html",
    ]


def test_links_are_relative_to_the_base_that_the_page_states() -> None:
    assert led_to("2.html", head='<base href="/other/">') == ["http://a.test/other/2.html"]


def test_a_query_is_in_the_charset_of_the_page_and_a_path_in_utf_8() -> None:
    assert led_to("/江?q=江", charset="gb18030") == ["http://a.test/%E6%B1%9F?q=%BD%AD"]


def test_what_is_no_address_keeps_back_none_of_the_others() -> None:
    assert led_to("http://[a/", "javascript:next()", "mailto:a@a.test", "2.html") == ["http://a.test/book/2.html"]


def test_books_and_documents_are_led_to_and_pictures_and_programs_are_not() -> None:
    wanted = ("a.pdf", "a.docx", "a.DOC", "a.epub", "a.mobi", "a.txt", "a.rtf", "a.zip")
    assert len(led_to(*wanted, "a.png", "a.exe", "a.apk", "a.js", "a.xlsx")) == len(wanted)


def test_what_scrapy_takes_for_no_page_is_a_document_or_none_here() -> None:
    endings = {f".{name.rpartition('.')[2]}" for name in IGNORED_EXTENSIONS if name != "tar.gz"}
    assert endings <= NON_PAGE_ENDINGS | set(FILE_ENDINGS)
    assert not NON_PAGE_ENDINGS & set(FILE_ENDINGS)


def test_the_process_that_reads_pages_starts_without_scrapy_and_numpy() -> None:
    program = "import sys, crawler.spiders.page_summary; print({'scrapy', 'tldextract', 'numpy'} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"


def test_the_same_page_in_another_script_is_led_to_and_its_feed_or_translation_is_not() -> None:
    head = (
        '<link rel="alternate" hreflang="zh-Hant" href="/tw/1.html"><link rel=alternate hreflang=en href=/en/1.html>'
        '<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="amphtml" href="/amp/1.html">'
    )
    assert led_to(head=head) == ["http://a.test/tw/1.html"]


def chosen(*values: str) -> list[str]:
    """The links of a page with a menu of these values."""
    options = "".join(f'<option value="{value}">第{number}页</option>' for number, value in enumerate(values))
    menu = f'<select onchange="location.href=this.value"><option>目录</option>{options}</select>'
    return [url for url, _ in extract_links(ParsedPage(HERE, menu, "utf-8"))]


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("/book/index_2.html", "http://a.test/book/index_2.html"),
        ("/book/2/", "http://a.test/book/2/"),
        ("index_2.html", "http://a.test/book/index_2.html"),
        (" ./2.htm ", "http://a.test/book/2.htm"),
        ("../list/2", "http://a.test/list/2"),
        ("list/2.shtml", "http://a.test/book/list/2.shtml"),
        ("http://a.test/2", "http://a.test/2"),
        ("//m.a.test/2", "http://m.a.test/2"),
        ("?page=2", "http://a.test/book/1.html?page=2"),
        ("read.php?id=1&amp;page=2", "http://a.test/book/read.php?id=1&page=2"),
        ("/目录/2", "http://a.test/%E7%9B%AE%E5%BD%95/2"),
        ("/1_1/?p=2#list", "http://a.test/1_1/?p=2"),
    ],
)
def test_a_menu_of_the_pages_of_a_list_of_chapters_leads_to_them(value: str, url: str) -> None:
    assert chosen(value) == [url]


@pytest.mark.parametrize(
    "value",
    ["", "2", "all", "北京", "Asia/Shanghai", "zh-CN", "1/2", "#top", "?", "/", "a.b", "2026-03-05", "12:30", "{}",
     "javascript:go(2)", "mailto:a@a.test", "<b>", "a b.html", "/logo.png", "1.5"],
)  # fmt: skip
def test_what_else_a_form_offers_leads_nowhere(value: str) -> None:
    assert chosen(value) == []


def test_options_outside_of_a_menu_lead_nowhere_and_the_words_of_a_menu_are_those_of_its_links() -> None:
    markup = '<datalist><option value="/a.html"></datalist><select><option value="/2.html">26-50章</select>'
    assert list(extract_links(ParsedPage(HERE, markup, "utf-8"))) == [("http://a.test/2.html", "26-50章")]


def test_escapes_are_one_address_in_small_letters_and_in_capitals() -> None:
    assert led_to("/%e6%b1%9f", "/%E6%B1%9F", "/江", "/%E6%b1%9f#a", "?q=%bd%ad", "?q=%BD%AD") == [
        "http://a.test/%E6%B1%9F",
        "http://a.test/book/1.html?q=%BD%AD",
    ]
    assert led_to("/100%", "/%zz", "/%e") == ["http://a.test/100%", "http://a.test/%zz", "http://a.test/%e"]
