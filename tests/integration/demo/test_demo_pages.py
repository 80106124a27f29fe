"""The pages of the little web hold what `expected_cases` says of them."""

import re
from functools import cache
from itertools import chain
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from wenhen.demo.articles import (
    ARTICLES,
    Article,
    CopiedText,
    apply_disguise,
    load_works,
    to_traditional,
    work_paragraphs,
)
from wenhen.demo.run import expected_cases, innocent_addresses
from wenhen.demo.website import DEMO_LICENCES, HOSTS, DemoPage, build_pages, is_disallowed

COPIES = [(article, copied) for article in ARTICLES for copied in article.copied_parts()]
_UTF8 = lxml.html.HTMLParser(encoding="utf-8")
INNOCENT = [article.address for article in ARTICLES if not article.copied_parts()]


@cache
def built() -> dict[tuple[str, str], DemoPage]:
    """The pages by host and path; made when the first test asks for them, which takes half a second."""
    return {(page.host, page.path): page for page in build_pages()}


def html_pages() -> list[DemoPage]:
    return [page for page in built().values() if page.is_html]


def decoded(page: DemoPage) -> str:
    return page.body.decode(page.charset)


def shown(page: DemoPage) -> str:
    """All text of a page, without white space."""
    # Bytes with an explicit parser, since the page's own declaration may lie.
    document = lxml.html.document_fromstring(page.body, parser=lxml.html.HTMLParser(encoding=page.charset))
    for element in document.xpath("//script | //style"):
        element.drop_tree()
    return re.sub(r"\s", "", document.text_content())


def squeezed(paragraphs: tuple[str, ...]) -> list[str]:
    return [re.sub(r"\s", "", paragraph) for paragraph in paragraphs]


def test_there_are_at_least_42_html_pages_on_three_hosts_that_look_different() -> None:
    assert len(html_pages()) >= 42
    assert {page.host for page in html_pages()} == set(HOSTS)
    assert len(HOSTS) == 3
    heads = {
        page.host: set(re.findall(r'(?:id|class)="(\w+)', decoded(page))) for page in html_pages() if page.path == "/"
    }
    assert len({frozenset(marks) for marks in heads.values()}) == 3


def test_building_twice_gives_the_same_bytes() -> None:
    assert build_pages() == build_pages()


def test_the_three_encodings_are_all_there() -> None:
    assert {page.charset for page in html_pages()} == {"utf-8", "gbk", "big5"}


def test_every_page_decodes_strictly_in_its_real_charset() -> None:
    assert [address for address, page in built().items() if "�" in decoded(page)] == []


def test_no_big5_page_holds_a_character_that_big5_lacks() -> None:
    pages = [page for page in html_pages() if page.charset == "big5"]
    assert pages
    assert [page.path for page in pages if "&#" in decoded(page)] == []


def test_one_page_says_utf8_and_is_gbk() -> None:
    page = built()["news.wenhen-demo.test", "/edu/2023/2207.html"]
    assert (page.content_type, page.charset) == ("text/html", "gbk")
    assert b'charset="utf-8"' in page.body
    with pytest.raises(UnicodeDecodeError):
        page.body.decode("utf-8")


def test_one_page_says_gb2312_and_uses_characters_of_gbk() -> None:
    page = built()["news.wenhen-demo.test", "/old/tea_0417.htm"]
    assert (page.content_type, page.charset) == ("text/html", "gbk")
    assert b'charset="gb2312"' in page.body
    with pytest.raises(UnicodeDecodeError):
        page.body.decode("gb2312")


@pytest.mark.parametrize(("article", "copied"), COPIES, ids=lambda part: getattr(part, "path", ""))
def test_a_copying_page_shows_its_share_of_the_work_under_its_disguise(article: Article, copied: CopiedText) -> None:
    text = shown(built()[article.address])
    paragraphs = squeezed(
        apply_disguise(copied.disguise, work_paragraphs(copied.work_title)[copied.first : copied.end])
    )
    assert sum(map(len, paragraphs)) >= 150
    at = 0
    for paragraph in paragraphs:
        at = text.index(paragraph, at) + len(paragraph)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.path)
def test_an_article_page_shows_all_paragraphs_of_its_article(article: Article) -> None:
    text = shown(built()[article.address])
    assert [paragraph for paragraph in squeezed(article.paragraphs()) if paragraph not in text] == []


def test_every_expected_case_stands_on_a_page_that_copies_the_work_and_may_be_crawled() -> None:
    copies = {(*article.address, copied.work_title) for article, copied in COPIES}
    for case in expected_cases():
        assert (case.host, case.path, case.work_title) in copies
        assert not is_disallowed(case.host, case.path)


def test_the_cases_cover_every_disguise_two_chapters_over_two_pages_each_and_two_licences() -> None:
    cases = expected_cases()
    assert {name for case in cases for name in case.disguise.split("+")} == {
        "none",
        "traditional",
        "homophone",
        "ads",
        "invisible",
    }
    on_the_book = [case.work_title for case in cases if case.path.startswith("/book/101/")]
    assert on_the_book == ["渡口灯 第一章 夜渡", "渡口灯 第二章 木匣"]
    assert len([case for case in cases if case.licensed]) == len(DEMO_LICENCES) == 2


def test_a_licensed_page_says_that_it_may() -> None:
    for case in expected_cases():
        assert ("经授权转载" in shown(built()[case.host, case.path])) == case.licensed


def test_the_two_halves_of_a_chapter_together_are_the_chapter_and_link_to_each_other() -> None:
    first, second = (built()["novel.wenhen-demo.test", f"/book/101/{name}.html"] for name in ("1", "1_2"))
    halves = [copied for article, copied in COPIES if article.address in {(p.host, p.path) for p in (first, second)}]
    assert tuple(chain(*(half.paragraphs() for half in halves))) == work_paragraphs("渡口灯 第一章 夜渡")
    assert 'href="/book/101/1_2.html"' in decoded(first)
    assert 'href="/book/101/1.html"' in decoded(second)


def test_at_least_fifteen_articles_of_300_characters_copy_nothing() -> None:
    assert len(INNOCENT) >= 15
    assert set(INNOCENT) <= set(innocent_addresses())
    for article in ARTICLES:
        if article.address in INNOCENT:
            assert sum(map(len, article.paragraphs())) >= 300


@pytest.mark.parametrize("address", sorted(set(innocent_addresses())), ids="".join)
def test_an_innocent_page_that_may_be_crawled_shares_no_twelve_characters_with_any_work(
    address: tuple[str, str],
) -> None:
    if is_disallowed(*address):
        assert address[1] in decoded(built()[address[0], "/"]), "a forbidden page is linked, or nothing is tried"
        return
    text = shown(built()[address])
    runs = {text[start : start + 12] for start in range(len(text) - 11)}
    for title in load_works():
        work = "".join(squeezed(work_paragraphs(title)))
        for form in (work, to_traditional(work)):
            assert not runs & {form[start : start + 12] for start in range(len(form) - 11)}


def test_every_page_is_either_expected_or_innocent() -> None:
    expected = {(case.host, case.path) for case in expected_cases()}
    assert not expected & set(innocent_addresses())
    continued = {article.address for article in ARTICLES if article.continues}
    assert expected | continued | set(innocent_addresses()) == {(page.host, page.path) for page in html_pages()}


@pytest.mark.parametrize("host", HOSTS)
def test_links_lead_from_the_front_page_to_every_page_of_the_host_and_nowhere_else(host: str) -> None:
    reached, ahead = {"/"}, ["/"]
    while ahead:
        path = ahead.pop()
        links = lxml.html.document_fromstring(decoded(built()[host, path]).encode(), parser=_UTF8).xpath("//a/@href")
        for link in {urlsplit(urljoin(f"http://{host}{path}", href)) for href in links}:
            assert (link.netloc, link.path) in built()
            if link.netloc == host and link.path not in reached and not is_disallowed(host, link.path):
                reached.add(link.path)
                ahead.append(link.path)
    assert reached == {page.path for page in html_pages() if page.host == host and not is_disallowed(host, page.path)}


def test_another_text_on_one_page_changes_that_page_and_its_case_alone() -> None:
    address = "news.wenhen-demo.test", "/2024/0318/10021.html"
    other = {address: "今天没有新闻。\n\n明天再来。"}
    changed = {(page.host, page.path) for page in build_pages(other) if built()[page.host, page.path] != page}
    assert changed == {address}
    assert [case for case in expected_cases() if case not in expected_cases(other)] == [
        case for case in expected_cases() if (case.host, case.path) == address
    ]
    assert address in innocent_addresses(other)


def test_a_text_for_a_page_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        build_pages({("news.wenhen-demo.test", "/nowhere"): "字"})
