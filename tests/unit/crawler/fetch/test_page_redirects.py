"""Pages that send their visitor on by script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.redirects import script_redirect_target

URL = "http://a.test/old/1.html"


@pytest.mark.parametrize(
    "script",
    [
        'location.href="/new/1.html"',
        "window.location = '/new/1.html';",
        "top.location.href='http:\\/\\/a.test\\/new\\/1.html'",
        "window.location.replace( '../new/1.html' )",
        "setTimeout(\"location.href='/new/1.html'\", 500)",
        "/* location.href='/not' */\n// location.href='/not'\nself.location.assign('/new/1.html')",
    ],
)
def test_a_page_that_only_sends_on_is_followed(script: str) -> None:
    html = f"<html><head><script>{script}</script></head><body>正在跳转，<a href=x>点这里</a></body></html>"
    assert script_redirect_target(html, URL) == "http://a.test/new/1.html"


def test_a_body_that_sends_on_when_it_is_loaded_is_followed() -> None:
    assert script_redirect_target("<body onload=\"location.href='/new'\"></body>", URL) == "http://a.test/new"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>location.href='/new'</p>",
        "<script>location.href='/old/1.html#top'</script>",
        "<script>location.href='/x' + id</script>",
        "<script>location.href=target</script>",
        "<script>location.href='javascript:void(0)'</script>",
        "<script>location.href='http://[oops'</script>",
        "<script>mylocation='/new'</script>",
        "<script>if(location.href=='/new'){}</script>",
        "<script>document.cookie='a=1';location.href='/new'</script>",
        f"<script>if(mobile)location.href='/m'</script><p>{'一篇很长的文章。' * 40}</p>",
    ],
)
def test_other_pages_are_not(html: str) -> None:
    assert script_redirect_target(html, URL) is None


@given(st.text(max_size=200))
def test_any_script_can_be_looked_at(script: str) -> None:
    script_redirect_target(f"<script>{script}</script>", URL)
    script_redirect_target(f"<script>location='{script}'</script>", URL)
