"""Words that the style sheets of a site hide between those that its readers see."""

from crawler.capture import PageAsset, pack_assets, unpack_assets
from crawler.extraction.page import extract_html
from crawler.extraction.parsing import ParsedPage
from crawler.spiders.page_summary import find_style_links
from tests.support.pages.page_parts import FERRY

URL = "http://www.novel.test/1/2.html"
HEAD = (
    '<link rel=stylesheet href=/base.css><link rel="stylesheet" href="//css.novel.test/read.css?v=2">'
    "<link rel=stylesheet href=http://fonts.test/a.css><link rel=stylesheet media=print href=/print.css>"
)
SHEET = (
    ".menu .sub { display: none } .read p > i.k3 { font-size: 0 } b.x7, .q { position: absolute; left: -9999px }"
    "@media print { .read p { display: none } } .read { display: none }"
)


def page(between: str) -> str:
    text = "".join(f"<p>{line[:9]}{between}{line[9:]}</p>" for line in FERRY * 2)
    return f"<head>{HEAD}</head><div class=read>{text}</div>"


def sheets(html: str) -> tuple[str, ...]:
    return find_style_links(ParsedPage(URL, html, "utf-8"))


def test_the_sheets_of_the_site_are_asked_for_where_words_with_classes_stand_between_others() -> None:
    assert sheets(page("<i class=k3>河口</i>")) == (
        "http://www.novel.test/base.css",
        "http://css.novel.test/read.css?v=2",
    )
    assert sheets(page("")) == ()
    assert sheets(page("<a class=k3 href=/w>河口</a>")) == ()


def test_who_shares_no_more_than_a_public_suffix_is_no_neighbour() -> None:
    html = (
        page("<i class=k3>河口</i>").replace("css.novel.test", "css.novel.com.cn").replace("fonts.test", "other.com.cn")
    )
    found = find_style_links(ParsedPage("http://novel.com.cn/1/2.html", html, "utf-8"))
    assert found == ("http://novel.com.cn/base.css", "http://css.novel.com.cn/read.css?v=2")


def test_what_they_hide_between_words_is_no_text_and_what_scripts_may_show_stays() -> None:
    body = page("<i class=k3>偷来</i><b class=x7>的字</b>").encode()
    shown = extract_html(body, [], URL, styles=[SHEET]).text
    assert shown.split("\n") == list(FERRY * 2)
    assert "偷来的字" in extract_html(body, [], URL).text


def test_a_sheet_comes_back_from_the_archive_of_a_page_as_a_sheet() -> None:
    kept = [PageAsset("http://a.test/1.png", b"picture"), PageAsset("http://a.test/style.php", b".q{}", is_style=True)]
    assert unpack_assets(pack_assets(kept)) == kept
    assert [one.is_picture for one in kept] == [True, False]
