"""Parts of a site without an end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.spiders.link_policy import (
    FETCHES_PER_VERDICT,
    MAX_SAME_PAGES,
    MAX_SHAPES,
    PROBE_INTERVAL,
    TrapGuard,
    trap_reason,
    url_shape,
)


@pytest.mark.parametrize(
    "path",
    [
        "/news/news/news/news/",
        "/a/b/a/b/a/b/a/b/c.html",
        "/" + "/".join(map(str, range(30))),
        "/search?" + "&".join(f"p{number}=1" for number in range(20)),
        "/x?q=" + "x" * 2000,
        "/calendar/2031/05",
        "/calendar/1822/5/",
        "/events?month=2190-01",
        "/rili/203107.html",
    ],
)
def test_addresses_that_lead_on_for_ever_are_known(path: str) -> None:
    assert trap_reason(f"http://a.test{path}", year=2024)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/2024/05/06/1234567.html",
        "/history/1822/05/letters.html",
        "/bbs/bbs/viewthread.php?tid=203107&extra=page%3D1",
        "/a/a/a/b.html",
        "/1/1/1/2.html",
        "/calendar/2025/1",
        "/calendar/2024-12-31",
        "/event/12031112.html",
        "/search?a=1&b=2&c=3&a=4",
    ],
)
def test_addresses_of_pages_are_let_through(path: str) -> None:
    assert trap_reason(f"http://a.test{path}", year=2024) is None


@given(st.text(max_size=80))
def test_no_address_is_too_odd_to_be_judged(url: str) -> None:
    trap_reason("http://a.test/" + url)


def test_addresses_of_one_template_have_one_shape() -> None:
    assert url_shape("http://a.test/t/1.html?sid=9&p=a") == url_shape("http://a.test/t/22.html?p=b&sid=")
    assert url_shape("http://a.test/t/1.html") != url_shape("http://a.test/u/1.html")
    assert url_shape("http://a.test/?a=1") != url_shape("http://a.test/?b=1")


def test_a_template_whose_pages_all_say_the_same_is_closed_and_told_once() -> None:
    guard = TrapGuard()
    for number in range(MAX_SAME_PAGES):
        assert guard.objection(f"http://a.test/day/{number}") is None
        guard.learn(f"http://a.test/day/{number}", f"第 {number} 天：没有活动")
    assert guard.objection("http://a.test/day/999")
    assert guard.objection("http://a.test/night/999") is None
    assert guard.is_first("http://a.test/day/999")
    assert not guard.is_first("http://a.test/day/1000")


def test_a_template_whose_pages_differ_stays_open_for_ever() -> None:
    guard = TrapGuard()
    for number in range(10 * MAX_SAME_PAGES):
        guard.learn(
            f"http://a.test/post/{number}",
            "没有这个帖子" if number % MAX_SAME_PAGES else "一篇" + "很" * number + "长的帖子",
        )
    assert guard.objection("http://a.test/post/12345") is None


def test_of_a_closed_template_few_are_fetched_and_one_that_differs_opens_it_again() -> None:
    guard = TrapGuard()
    for number in range(MAX_SAME_PAGES):
        assert not guard.shuts_out(f"http://a.test/day/{number}")
        guard.learn(f"http://a.test/day/{number}", "维护中")
    fetched = [number for number in range(100) if not guard.shuts_out(f"http://a.test/day/{number}")]
    assert len(fetched) == 10
    guard.learn("http://a.test/day/7", "一篇文章")
    assert not guard.shuts_out("http://a.test/day/8")
    assert guard.objection("http://a.test/day/8") is None


def test_of_a_site_with_a_form_for_every_page_only_the_last_forms_are_remembered() -> None:
    guard = TrapGuard()
    for number in range(MAX_SAME_PAGES):
        guard.learn(f"http://a.test/day/{number}", "维护中")
    for number in range(MAX_SHAPES - 1):
        guard.learn(f"http://a.test/post/{'x' * (number % 1000)}{'y' * (number // 1000)}", "一篇文章")
    assert guard.objection("http://a.test/day/8"), "one of the last"
    guard.learn("http://a.test/one-more", "一篇文章")
    assert guard.objection("http://a.test/day/8") is None


def test_a_part_whose_hundred_pages_gave_no_new_text_is_left_and_open_again_once_one_does() -> None:
    guard = TrapGuard()
    for number in range(FETCHES_PER_VERDICT):
        guard.learn(f"http://a.test/tags/{number}", "江水东流，两岸无人。" if number % 2 else "山中有雨，云在窗下。")
    waiting = [guard.shuts_out(f"http://a.test/tags/{number}") for number in range(4 * PROBE_INTERVAL)]
    told = {str(why) for why in waiting if why}
    assert [why.startswith("100 pages of a.test/tags/0? had less than 1000 characters") for why in told] == [True]
    assert [number for number, why in enumerate(waiting, 1) if why is None] == [
        PROBE_INTERVAL,
        2 * PROBE_INTERVAL,
        4 * PROBE_INTERVAL,
    ]
    assert guard.shuts_out("http://a.test/tags/by-name") is not None, "the directory gave no more than the form"
    assert guard.shuts_out("http://a.test/news/1") is None
    guard.learn("http://a.test/tags/500", "他把那封旧信从抽屉里取出来，读了两遍。")
    assert guard.shuts_out("http://a.test/tags/501") is None


def test_a_part_whose_pages_each_have_a_headline_of_their_own_stays_open() -> None:
    guard, signs = TrapGuard(), "江水东流两岸无人山中有雨云在窗下灯火阑珊处"
    for number in range(3 * FETCHES_PER_VERDICT):
        headline = "".join(signs[(number * step + step) % len(signs)] for step in range(1, 14)) + "甲" * number
        guard.learn(f"http://a.test/tags/{number}", f"首页。关于我们。{headline}。")
    assert guard.shuts_out("http://a.test/tags/1000") is None
