"""Cookies as people bring them along."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.headers import _make_jar_cookie
from crawler.site_access import HEADER_PROFILES, Cookie, cookie_from_jar, find_header_profile, parse_cookies
from wenhen.kit.errors import BadInput

FILE = (
    "# Netscape HTTP Cookie File\n"
    ".news.test\tTRUE\t/\tTRUE\t1900000000\tsid\t7f=\n"
    "#HttpOnly_bbs.news.test\tFALSE\t/bbs\tFALSE\t0\tauth\tx y\n"
)


def test_a_cookies_txt_is_read_with_what_browsers_keep_from_scripts() -> None:
    later = datetime.fromtimestamp(1900000000, UTC)
    expected = {
        Cookie(name="sid", value="7f=", domain=".news.test", secure=True, expires=later),
        Cookie(name="auth", value="x y", domain="bbs.news.test", path="/bbs"),
    }
    assert set(parse_cookies(FILE, "a.test")) == expected
    assert set(parse_cookies(FILE.partition("\n")[2], "a.test")) == expected, "the first line is often lost"


def test_a_cookie_header_belongs_to_the_host_it_is_given_for() -> None:
    assert parse_cookies("Cookie: a=1; b=2=3", "news.test") == (
        Cookie(name="a", value="1", domain="news.test"),
        Cookie(name="b", value="2=3", domain="news.test"),
    )


@pytest.mark.parametrize("text", ["", "nothing", "a=1; b", "=x", "a\tb\n", "# Netscape HTTP Cookie File\n\t\n"])
def test_what_is_neither_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadInput, match=r"cookie"):
        parse_cookies(text, "a.test")


WORD = st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True)
COOKIES = st.builds(
    Cookie,
    name=WORD,
    value=WORD,
    domain=st.sampled_from(["a.test", ".a.test"]),
    path=st.sampled_from(["/", "/x"]),
    secure=st.booleans(),
    expires=st.none() | st.integers(1, 10**10).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)


@given(COOKIES)
def test_a_cookie_goes_into_the_jar_and_comes_back_the_same(cookie: Cookie) -> None:
    assert cookie_from_jar(_make_jar_cookie(cookie)) == cookie


def test_every_header_profile_names_the_crawler_and_unknown_ones_are_refused() -> None:
    assert all("wenhen/1 (+me)" in profile.user_agent("wenhen/1 (+me)") for profile in HEADER_PROFILES.values())
    with pytest.raises(BadInput, match="default, traditional"):
        find_header_profile("chrome")
