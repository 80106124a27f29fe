"""The pause between two requests to a host, as its answers make it longer and shorter."""

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Spider
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.job import CrawlJob
from crawler.politeness.cooldown import PatientAutoThrottle
from crawler.scrapy_settings import build_settings

URL = "http://a.test/1"


def after(statuses: list[int], *, floor: float = 0.0) -> float:
    """The pause after one answer in four seconds, and then quick ones with these statuses."""
    job = CrawlJob(start_urls=(URL,), user_agent="x", delay=0.1, concurrency=1)
    crawler = Crawler(Spider, build_settings(job))
    downloader: Any = SimpleNamespace(per_slot_settings={"a.test": {"delay": floor}})
    crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]  # all of it that is asked
    throttle = PatientAutoThrottle(crawler)
    throttle.mindelay, throttle.maxdelay = 0.1, 10.0  # as Scrapy sets them when a spider is opened
    slot = Slot(concurrency=1, delay=0.1)
    throttle._adjust_delay(slot, 4.0, Response(URL))
    for status in statuses:
        throttle._adjust_delay(slot, 0.05, Response(URL, status=status))
    return slot.delay


@pytest.mark.parametrize("status", [200, 304])
def test_a_slow_moment_passes_also_where_every_page_is_unchanged(status: int) -> None:
    assert after([]) == 4.0
    assert after([status] * 20) == pytest.approx(0.1)
    assert after([status] * 20, floor=2.0) == 2.0, "never below what robots.txt asks for"


def test_errors_shorten_no_pause() -> None:
    assert after([404, 503, 302] * 20) == 4.0
