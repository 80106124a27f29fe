"""The pause between two requests to a host, as its answers make it longer and shorter."""

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.job import CrawlJob
from crawler.politeness.throttling import AnswerSpeedThrottle
from crawler.run import build_settings

URL = "http://a.test/1"


def after(statuses: list[int], *, floor: float = 0.0) -> float:
    """The pause after one answer in four seconds, and then quick ones with these statuses."""
    job = CrawlJob(start_urls=(URL,), user_agent="x", delay=0.1, concurrency=1)
    crawler = Crawler(Spider, build_settings(job))
    slot = Slot(concurrency=1, delay=0.1)
    downloader: Any = SimpleNamespace(per_slot_settings={"a.test": {"delay": floor}}, slots={"a.test": slot})
    crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]  # all of it that is asked
    throttle = AnswerSpeedThrottle(crawler)
    throttle.note_answer(Response(URL), answered_after(4.0))
    for status in statuses:
        throttle.note_answer(Response(URL, status=status), answered_after(0.05))
    return slot.delay


def answered_after(seconds: float) -> Request:
    return Request(URL, meta={"download_slot": "a.test", "download_latency": seconds})


@pytest.mark.parametrize("status", [200, 304])
def test_a_slow_moment_passes_also_where_every_page_is_unchanged(status: int) -> None:
    assert after([]) == 4.0
    assert after([status] * 20) == pytest.approx(0.1)
    assert after([status] * 20, floor=2.0) == 2.0, "never below what robots.txt asks for"


def test_errors_shorten_no_pause() -> None:
    assert after([404, 503, 302] * 20) == 4.0
