"""What an exception of a download is called."""

import json
from pathlib import Path

from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest

import dashboard
from crawler.crawl_stats import RequestRefused, SkipOutcome, explain_error
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message


def test_a_refusal_of_ours_keeps_its_reason_and_its_words() -> None:
    told = Message("fetch.other_host", {"url": "http://b.test/"})
    assert explain_error(RequestRefused(SkipReason.OTHER_HOST, told)) == SkipOutcome(True, SkipReason.OTHER_HOST, told)


def test_a_server_s_failure_is_not_called_a_refusal() -> None:
    assert explain_error(DownloadTimeoutError()).refused is False


def test_an_exception_that_nobody_thought_of_is_named_in_one_short_line() -> None:
    for error in (ZeroDivisionError("x" * 1000), IgnoreRequest("another cause")):
        outcome = explain_error(error)
        assert outcome.reason == SkipReason.BROKEN
        assert type(error).__name__ in str(outcome.message)
        assert len(str(outcome.message)) <= 300


def test_every_reason_has_a_short_name_for_lists_in_both_languages() -> None:
    words = json.loads((Path(dashboard.__file__).parent / "sites" / "words.json").read_text("utf-8"))
    assert [
        reason for reason in SkipReason if not all(words.get(f"fetch.{reason}", {}).get(x) for x in ("zh", "en"))
    ] == []
