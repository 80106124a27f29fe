"""How long a server is left alone before it is tried again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Request, Response

from crawler.politeness.backoff_and_cooldowns import (
    MAX_WAIT_SECONDS,
    backoff_seconds,
    rest_seconds,
    retry_after_seconds,
)


def answer(value: str | None, status: int = 200) -> Response:
    headers = {"Retry-After": value} if value is not None else None
    return Response("http://a.test/", status=status, headers=headers)


@pytest.mark.parametrize("value", [None, "", "soon", "-5", "1.5x", "Wed, 99 Foo 2024"])
def test_without_a_usable_retry_after_nothing_is_added(value: str | None) -> None:
    assert retry_after_seconds(answer(value)) == 0.0


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    assert retry_after_seconds(answer("17")) == 17.0
    later = datetime.now(UTC) + timedelta(minutes=10)
    assert 500 < retry_after_seconds(answer(format_datetime(later, usegmt=True))) <= 600
    assert retry_after_seconds(answer("Wed, 21 Oct 2015 07:28:00 GMT")) == 0.0


@given(st.floats(0.01, 60), st.integers(1, 2000), st.floats(0, 1e6))
def test_a_pause_grows_is_what_the_server_asked_for_at_least_and_never_without_bound(
    base: float, times: int, asked: float
) -> None:
    waited = backoff_seconds(base, times, asked)
    assert min(asked, base / 2) <= waited <= MAX_WAIT_SECONDS or waited == MAX_WAIT_SECONDS
    assert waited >= min(asked, MAX_WAIT_SECONDS)
    assert backoff_seconds(base, 12, asked) >= min(base * 1024, MAX_WAIT_SECONDS) / 2


def test_the_whole_host_rests_as_long_as_it_asks() -> None:
    request = Request("http://a.test/")
    assert rest_seconds(request, answer("17", 429), base=2.0) == 17.0
    assert rest_seconds(request, answer("17", 503), base=2.0) == 17.0
    assert rest_seconds(request, answer("17", 200), base=2.0) == 0.0


def test_after_a_429_that_does_not_say_how_long_the_rest_doubles_with_each_try() -> None:
    for tried in range(4):
        request = Request("http://a.test/", meta={"retry_times": tried} if tried else {})
        assert 2.0**tried <= rest_seconds(request, answer(None, 429), base=2.0) <= 3 * 2.0**tried


def test_a_503_that_does_not_say_how_long_concerns_a_single_page() -> None:
    assert rest_seconds(Request("http://a.test/"), answer(None, 503), base=2.0) == 0.0
