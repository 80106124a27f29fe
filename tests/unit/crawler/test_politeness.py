"""How long a server is left alone, and what an exception is called."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response

from crawler.politeness import retry_after
from crawler.reasons import Outcome, Reason, Refusal, explain


def answer(value: str | None) -> Response:
    return Response("http://a.test/", headers={"Retry-After": value} if value is not None else None)


@pytest.mark.parametrize("value", [None, "", "soon", "-5", "1.5x", "Wed, 99 Foo 2024"])
def test_without_a_usable_retry_after_nothing_is_added(value: str | None) -> None:
    assert retry_after(answer(value)) == 0.0


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    assert retry_after(answer("17")) == 17.0
    later = datetime.now(UTC) + timedelta(minutes=10)
    assert 500 < retry_after(answer(format_datetime(later, usegmt=True))) <= 600
    assert retry_after(answer("Wed, 21 Oct 2015 07:28:00 GMT")) == 0.0


def test_a_refusal_of_ours_keeps_its_reason_and_its_words() -> None:
    assert explain(Refusal(Reason.OTHER_HOST, "not here")) == Outcome(True, Reason.OTHER_HOST, "not here")


def test_a_server_s_failure_is_not_called_a_refusal() -> None:
    assert explain(DownloadTimeoutError()).refused is False


def test_an_exception_that_nobody_thought_of_is_named_in_one_short_line() -> None:
    for error in (ZeroDivisionError("x" * 1000), IgnoreRequest("another cause")):
        outcome = explain(error)
        assert outcome.reason == Reason.BROKEN
        assert type(error).__name__ in outcome.message
        assert len(outcome.message) <= 300
