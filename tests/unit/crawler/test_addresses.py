"""One spelling for one page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.addresses import canonical_url, is_next_link


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.test", "http://a.test/"),
        ("HTTP://A.Test:80/Path", "http://a.test/Path"),
        ("https://a.test:443/x#part", "https://a.test/x"),
        ("http://a.test:8080/x", "http://a.test:8080/x"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://a.test/x?utm_source=w&id=3&spm=a.b", "http://a.test/x?id=3"),
        ("http://a.test/x;jsessionid=8F?id=3&PHPSESSID=9", "http://a.test/x?id=3"),
        ("http://a.test/x?b=2&a=1", "http://a.test/x?b=2&a=1"),
        ("http://a.test/x?side=1", "http://a.test/x?side=1"),
    ],
)
def test_what_does_not_make_another_page_is_taken_off(url: str, expected: str) -> None:
    assert canonical_url(url) == expected


@given(
    st.from_regex(
        r"https?://[a-z]{1,5}\.test(:\d{2,4})?(/[\w;=.%-]{0,9}){0,3}(\?[\w=&%-]{0,20})?(#\w*)?", fullmatch=True
    )
)
def test_a_canonical_address_is_its_own_canonical_form(url: str) -> None:
    assert canonical_url(canonical_url(url)) == canonical_url(url)


@given(st.text(max_size=60))
def test_no_address_is_too_odd_to_be_looked_at(url: str) -> None:
    canonical_url(url)
    canonical_url("http://" + url)


@pytest.mark.parametrize("text", ["下一页", "下一頁 »", "[下一章]", "后一页", "下页>", "Next", "下一节→", "（下一回）"])
def test_links_to_the_next_page_are_known_by_their_wording(text: str) -> None:
    assert is_next_link(text)


@pytest.mark.parametrize("text", ["", "上一页", "下一页的故事", "下一个路口", "下载", "nextcloud"])
def test_other_links_are_not_taken_for_them(text: str) -> None:
    assert not is_next_link(text)
