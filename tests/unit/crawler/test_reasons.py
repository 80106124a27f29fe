"""What an exception of a download is called."""

from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest

from crawler.crawl.reasons import Outcome, Reason, Refusal, explain


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
