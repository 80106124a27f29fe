"""Where a page stands in a longer text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.links import CHAPTER_NUMBER, VOLUME_NUMBER, find_number, sort_in_reading_order
from crawler.extraction.model import ChapterPlace
from crawler.extraction.page import extract_html

LINE = "他抬头看了看天色，说北边的云压得低，晌午以前怕是有雨，叫我们赶紧上船。"


def place(url: str, *links: tuple[str, str], title: str = "渡口") -> ChapterPlace:
    anchors = " ".join(f"<a href='{target}'>{text}</a>" for text, target in links)
    return extract_html(f"<title>{title}</title><p>{LINE}</p><div>{anchors}</div>".encode(), [], url).place


def test_the_next_page_of_a_chapter_is_told_from_the_next_chapter_by_its_address() -> None:
    first = place("http://a.test/12/345.html", ("上一章", "344.html"), ("下一页", "345_2.html"))
    assert (first.next_page, first.next_chapter) == ("http://a.test/12/345_2.html", None)
    assert (first.previous_page, first.previous_chapter) == (None, "http://a.test/12/344.html")
    last = place("http://a.test/12/345_2.html", ("上一页", "345.html"), ("下一章", "346.html"))
    assert (last.previous_page, last.next_chapter) == ("http://a.test/12/345.html", "http://a.test/12/346.html")
    assert (last.next_page, last.previous_chapter) == (None, None)


def test_a_link_that_is_called_the_next_chapter_may_lead_to_the_next_page() -> None:
    assert place("http://a.test/345.html", ("下一章", "345_2.html")).next_page == "http://a.test/345_2.html"
    assert place("http://a.test/345_2.html", ("下一章", "345_3.html")).next_page == "http://a.test/345_3.html"


def test_a_link_that_is_called_the_next_page_may_lead_to_the_next_chapter() -> None:
    found = place("http://a.test/b/345.html", ("下一页", "346.html"), title="第三章 雨")
    assert (found.next_page, found.next_chapter, found.novel) == (None, "http://a.test/b/346.html", True)


def test_the_number_of_a_chapter_s_own_address_is_not_that_of_its_page() -> None:
    assert place("http://a.test/7/12.html", ("下一页", "12_2.html")).next_page == "http://a.test/7/12_2.html"
    assert place("http://a.test/7/12.html", ("下一页", "13.html")).next_chapter == "http://a.test/7/13.html"


def test_chapters_numbered_in_their_addresses_are_no_pages_of_one() -> None:
    found = place("http://a.test/12-1.html", ("下一章", "12-2.html"))
    assert (found.next_page, found.next_chapter) == (None, "http://a.test/12-2.html")


@pytest.mark.parametrize(
    ("here", "there"),
    [("/read?id=7", "/read?id=7&page=2"), ("/n/7/2", "/n/7/3"), ("/n/7-2.shtml", "/n/7-3.shtml"), ("/t?p=2", "/t?p=3")],
)
def test_pages_of_an_article_count_up_in_their_addresses(here: str, there: str) -> None:
    found = place("http://a.test" + here, ("下一页", there))
    assert (found.next_page, found.novel) == ("http://a.test" + there, False)


def test_links_are_relative_to_what_the_page_says_and_written_as_they_are_asked_for() -> None:
    page = f"""<base href="http://m.test/书/"><link rel="canonical" href="12.html"><title>第一章</title><p>{LINE}</p>
        <a href="12_2.html">下一页</a><a href="13.html">下一章</a>"""
    found = extract_html(page.encode(), [], "http://m.test/%E4%B9%A6/12.html")
    assert found.place.next_page == "http://m.test/%E4%B9%A6/12_2.html"
    assert found.place.next_chapter == "http://m.test/%E4%B9%A6/13.html"
    assert found.canonical == "http://m.test/书/12.html"


@pytest.mark.parametrize(
    "link",
    [("下一页", "#"), ("下一页", "http://[a"), ("下一页", "javascript:next()"), ("下一页的故事很长", "345_2.html")],
)
def test_what_leads_nowhere_is_no_next_page(link: tuple[str, str]) -> None:
    assert place("http://a.test/345.html", link) == ChapterPlace()


def test_numbers_of_chapters_and_volumes_are_read() -> None:
    assert place("http://a.test/1.html", title="第二卷 第一百零五章 雨_渡口").chapter == 105
    titles = ("第十章", "第二十三回", "第1024章", "第一千零一夜 第两百章", "第二〇三章", "序章")
    assert [find_number(CHAPTER_NUMBER, title) for title in titles] == [10, 23, 1024, 200, 203, None]
    assert find_number(VOLUME_NUMBER, "第三部 第一章") == 3


def listed(*numbers: int) -> list[tuple[str, str]]:
    return [(f"http://a.test/{place}", f"第{number}章 渡口") for place, number in enumerate(numbers)]


def told(links: list[tuple[str, str]]) -> list[int]:
    return [number for _, words in links if (number := find_number(CHAPTER_NUMBER, words)) is not None]


@given(st.permutations(range(1, 15)))
def test_a_list_of_chapters_is_read_in_their_order_whatever_comes_first(numbers: list[int]) -> None:
    menu = [("http://a.test/", "首页"), ("http://a.test/rank", "排行")]
    found = sort_in_reading_order([menu[0], *listed(*numbers), menu[1]])
    assert told(found) == sorted(numbers)
    assert (found[0], found[-1]) == (menu[0], menu[1])
    assert len(set(found)) == len(numbers) + 2


def test_a_list_whose_volumes_begin_anew_is_turned_round_only_as_a_whole() -> None:
    volumes = [*range(1, 9), *range(1, 9)]
    assert told(sort_in_reading_order(listed(*volumes))) == volumes
    assert told(sort_in_reading_order(listed(*reversed(volumes)))) == volumes


def test_a_few_links_with_numbers_are_no_list() -> None:
    assert told(sort_in_reading_order(listed(9, 8, 7))) == [9, 8, 7]


@given(st.text(alphabet="〇零一二两三四五六七八九十百千", min_size=1, max_size=9))
def test_any_row_of_numerals_is_some_number(numeral: str) -> None:
    number = find_number(CHAPTER_NUMBER, f"第{numeral}章")
    assert number is not None
    assert number >= 0


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("/thread-7-1-1.html", "/thread-7-2-1.html"),
        ("/forum.php?mod=viewthread&tid=7&extra=page%3D1", "/forum.php?mod=viewthread&tid=7&extra=page%3D1&page=2"),
        ("/viewtopic.php?f=2&t=7&start=25", "/viewtopic.php?f=2&t=7&start=50"),
        ("/threads/kiln.7/", "/threads/kiln.7/page-2"),
        ("/showthread.php?7-kiln", "/showthread.php?7-kiln/page2"),
        ("/thread-7.html", "/thread-7-page-2.html"),
        ("/index.php?topic=7.0", "/index.php?topic=7.20"),
        ("/group/topic/7/", "/group/topic/7/?start=100"),
    ],
)
def test_the_pages_of_a_thread_are_one_text_whatever_the_program_that_counts_them(here: str, there: str) -> None:
    ahead = place("http://bbs.test" + here, ("下一页", there))
    back = place("http://bbs.test" + there, ("上一页", here))
    assert (ahead.next_page, back.previous_page) == (f"http://bbs.test{there}", f"http://bbs.test{here}")
    typed = f"<title>窑</title><link rel=next href='{there}'><p>{LINE}</p>".encode()
    assert extract_html(typed, [], "http://bbs.test" + here).place.next_page == f"http://bbs.test{there}"


def test_two_threads_are_two_texts_and_so_are_two_articles_that_follow_each_other() -> None:
    assert place("http://bbs.test/thread-7-1-1.html", ("下一页", "/thread-8-1-1.html")).next_page is None
    typed = f"<link rel=next href=/post/8><p>{LINE}</p>".encode()
    assert extract_html(typed, [], "http://a.test/post/7").place.next_page is None
