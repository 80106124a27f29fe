"""The posts of a thread, as the common forum programs write it: who said what, when, and whose words it quotes."""

import re
from datetime import datetime
from itertools import pairwise

import pytest

from crawler.extraction.markup_signs import may_hold_posts
from crawler.extraction.model import Precision
from crawler.extraction.page import extract_html
from crawler.extraction.posts.thread import extract_thread_posts
from tests.support.pages.page_parts import KILN, p, page
from tests.support.pages.threads import THREAD, THREADS
from wenhen.kit.clock import CHINA

URL = "http://bbs.test/thread-7-1-1.html"
NO_FLOOR = ("json_ld", "phpbb")  # their pages tell none
NO_QUOTES = ("json_ld",)


@pytest.mark.parametrize("name", THREADS)
def test_every_post_of_a_thread_has_its_author_its_time_and_its_text(name: str) -> None:
    body = THREADS[name](THREAD).encode()
    read = extract_html(body, [], URL)
    posts = extract_thread_posts([(body, (), None)], read.text)
    told = [(post.author, post.written_at) for post in posts]
    assert told == [(one.author, datetime.fromisoformat(one.day).replace(tzinfo=CHINA)) for one in THREAD]
    assert {post.precision for post in posts} == {Precision.MINUTE}
    assert [post.floor for post in posts] == [None if name in NO_FLOOR else one.floor for one in THREAD]
    for one, post in zip(THREAD, posts, strict=True):
        assert all(line in read.text[post.start : post.end] for line in one.lines)
    assert all(one.end <= other.start for one, other in pairwise(posts))
    assert may_hold_posts(body)


@pytest.mark.parametrize("name", [name for name in THREADS if name not in NO_QUOTES])
def test_what_a_post_quotes_is_told_with_whose_words_it_is(name: str) -> None:
    body = THREADS[name](THREAD).encode()
    text = extract_html(body, [], URL).text
    for one, post in zip(THREAD, extract_thread_posts([(body, (), None)], text), strict=True):
        quoted = [(quote.author, text[quote.start : quote.end]) for quote in post.quotations]
        assert [who for who, _ in quoted] == ([] if one.quotes is None else [one.quotes[0]])
        assert all(one.quotes is not None and one.quotes[1] in words for _, words in quoted)


@pytest.mark.parametrize("name", [name for name in THREADS if name not in ("unknown", "json_ld")])
def test_the_author_and_the_time_of_a_thread_are_those_of_its_first_post(name: str) -> None:
    read = extract_html(THREADS[name](THREAD).encode(), [], URL)
    assert (read.author, read.published_at) == (
        THREAD[0].author,
        datetime.fromisoformat(THREAD[0].day).replace(tzinfo=CHINA),
    )


def test_posts_of_several_pages_stand_in_the_text_that_they_make_together() -> None:
    pages = [THREADS["discuz"](THREAD[:2]).encode(), THREADS["discuz"](THREAD[2:]).encode()]
    text = "\n".join(extract_html(body, [], URL).text for body in pages)
    posts = extract_thread_posts([(body, (), None) for body in pages], text)
    assert [post.floor for post in posts] == [1, 2, 3, 4]
    assert posts[3].end == len(text) or THREAD[3].lines[-1] in text[posts[3].start : posts[3].end]


def test_an_article_has_no_posts_and_is_not_looked_at_for_any() -> None:
    body = page(f"<article><h1>窑</h1><p>作者：青釉 2023-04-01 09:11</p>{p(KILN)}</article>").encode()
    assert not may_hold_posts(body)
    assert extract_thread_posts([(body, (), None)], extract_html(body, [], URL).text) == ()


def test_who_answers_an_article_is_not_its_author() -> None:
    said = "<b itemprop=author>渔火</b><p itemprop=text>好。</p>"
    reply = f'<div itemscope itemtype="https://schema.org/Comment">{said}</div>'
    head = "<title>窑</title><meta name=author content=青釉>"
    assert extract_html(page(f"<article>{p(KILN)}</article>{reply}", head).encode(), [], "").author == "青釉"


def test_posts_whose_lines_are_no_part_of_the_text_are_left_out() -> None:
    body = THREADS["xenforo"](THREAD).encode()
    text = "\n".join(THREAD[3].lines)
    (post,) = extract_thread_posts([(body, (), None)], text)
    assert (post.floor, post.start, post.end) == (4, 0, len(text))


def test_a_post_that_tells_its_time_by_that_of_the_fetch_has_it_as_exactly_as_it_is_told() -> None:
    said = ["3 天前", "昨天&nbsp;12:30", "半小时前", "2023-4-1"]
    written = THREADS["discuz"](THREAD)
    for one, words in zip(THREAD, said, strict=True):
        written = re.sub(rf'<span title="{one.day}:00">\d+ 天前</span>', words, written)
    body, fetched_at = written.encode(), datetime(2026, 5, 4, 0, 10, tzinfo=CHINA)
    text = extract_html(body, [], URL).text
    told = [(post.written_at, post.precision) for post in extract_thread_posts([(body, (), fetched_at)], text)]
    assert told == [
        (datetime(2026, 5, 1, tzinfo=CHINA), Precision.DAY),
        (datetime(2026, 5, 3, 12, 30, tzinfo=CHINA), Precision.MINUTE),
        (datetime(2026, 5, 3, 23, 40, tzinfo=CHINA), Precision.HOUR),
        (datetime(2023, 4, 1, tzinfo=CHINA), Precision.DAY),
    ]
    unknown = [post.written_at for post in extract_thread_posts([(body, (), None)], text)]
    assert unknown == [None, None, None, datetime(2023, 4, 1, tzinfo=CHINA)], "nothing is told without the fetch's time"


def test_posts_of_an_unknown_program_that_tell_how_long_ago_have_the_days_of_their_fetch() -> None:
    said = ("3 天前", "2 days ago", "发表于 1 天前")
    rows = "".join(
        f"<div class=lou><b class=nickname>渔火{n}</b><p>{line}</p><span>{ago}</span></div>"
        for n, (line, ago) in enumerate(zip(KILN, said, strict=False))
    )
    body = page(f"<div>{rows}</div>").encode()
    read = extract_html(body, [], URL)
    posts = extract_thread_posts([(body, (), datetime(2026, 3, 5, 12, tzinfo=CHINA))], read.text)
    assert [(post.author, post.written_at) for post in posts] == [
        (f"渔火{n}", datetime(2026, 3, 2 + n, tzinfo=CHINA)) for n in range(len(said))
    ]
    assert {post.precision for post in posts} == {Precision.DAY}
    assert may_hold_posts(body)
