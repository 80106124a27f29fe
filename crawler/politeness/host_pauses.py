"""Pause between requests to a host, and leave hosts alone for a time after failures."""

import asyncio
from collections import defaultdict
from time import monotonic
from typing import Any, Self

from scrapy import Request, signals
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from crawler.capture import NOT_MODIFIED
from crawler.crawl_stats import RequestRefused, RequestSkipped, SkipOutcome
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import message

# Cooldowns: hosts rest because they asked for it or fail repeatedly. Some are cut off for the rest of the crawl.


MAX_WAIT_SECONDS = 120.0  # seconds: the next crawl tries again if a server asks for more
FAILURES_BEFORE_COOLDOWN = 5  # failures in a row
FIRST_COOLDOWN_SECONDS = 10.0  # seconds, doubled with each further cooldown
MAX_COOLDOWNS = 3  # cooldowns of the only host: where others answer, none


def is_wait_too_long(seconds: float) -> bool:
    """Return whether a wait is left to the next crawl."""
    return seconds > MAX_WAIT_SECONDS


class HostCooldowns:
    """The cooldowns of one crawl."""

    def __init__(self) -> None:
        self._until: dict[str | None, float] = {}  # by the monotonic clock
        self._failures: defaultdict[str | None, int] = defaultdict(int)  # since the last answer
        self._rested: defaultdict[str | None, int] = defaultdict(int)  # times, since the last answer
        self._answered: set[str | None] = set()
        self._cut_off: set[str | None] = set()

    def rest(self, host: str | None, seconds: float) -> None:
        """Leave a host alone for at least this time."""
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + seconds)

    def note_answer(self, host: str | None) -> None:
        """Note that a host completed an answer of any status."""
        self._answered.add(host)
        self._failures.pop(host, None)
        self._rested.pop(host, None)

    def note_failure(self, host: str | None) -> None:
        """Note that a host hung or broke off.

        After `FAILURES_BEFORE_COOLDOWN` in a row it rests, so that a restarting server loses no pages. It is cut off if
        other hosts answer meanwhile, or after `MAX_COOLDOWNS`.
        """
        self._failures[host] += 1
        if self._failures[host] % FAILURES_BEFORE_COOLDOWN:
            return
        self._rested[host] += 1
        if self._rested[host] > MAX_COOLDOWNS or self._answered - {host} - self._cut_off:
            self._cut_off.add(host)
        else:
            self.rest(host, FIRST_COOLDOWN_SECONDS * 2 ** (self._rested[host] - 1))

    async def wait_until_over(self, host: str | None) -> None:
        """Wait until a host may be requested again.

        Raise `RequestRefused` if that takes too long, `RequestSkipped` if the host is cut off.
        """
        while (rest := self._until.get(host, 0.0) - monotonic()) > 0 and host not in self._cut_off:
            if is_wait_too_long(rest):
                raise RequestRefused(SkipReason.ASKED_TO_WAIT, message("fetch.asked_to_wait", minutes=round(rest / 60)))
            await asyncio.sleep(rest)
        if host in self._cut_off:
            why = message("fetch.cut_off", host=host or "", count=self._failures[host])
            raise RequestSkipped(SkipOutcome(False, SkipReason.CUT_OFF, why))


# The pause between two requests to a host. It follows the host's speed, and is never below its Crawl-delay.
#
# `crawler.fetch.retries_and_throttling` applies it to all crawlers together.


QUICK_ANSWERS = (200, NOT_MODIFIED)  # statuses that may shorten the pause


def apply_crawl_delay(downloader: Downloader, host: str, asked: float) -> None:
    """Apply Crawl-delay, a common extension of robots.txt, as the least pause between two requests."""
    if not asked > 0:  # also for "nan"
        return
    floor = max(downloader.settings.getfloat("DOWNLOAD_DELAY"), min(asked, MAX_WAIT_SECONDS))
    # Slots come and go, but their settings stay.
    downloader.per_slot_settings[host] = {"delay": floor, "jitter": 0.0}
    if slot := downloader.slots.get(host):
        slot.delay, slot.jitter = max(slot.delay, floor), 0.0


class AnswerSpeedThrottle:
    """Sets the pause by the rule of Scrapy's AutoThrottle and its settings, but never below Crawl-delay.

    Only 200 and 304 shorten the pause, because errors come quickly. Without 304, one slow moment would slow down a
    whole crawl of unchanged pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._concurrency = settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY")
        self._least = settings.getfloat("DOWNLOAD_DELAY")  # seconds: the pause at the start
        self._most = settings.getfloat("AUTOTHROTTLE_MAX_DELAY")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's constructor."""
        throttle = cls(crawler)
        crawler.signals.connect(throttle.note_answer, signals.response_downloaded)
        return throttle

    def note_answer(self, response: Response, request: Request) -> None:
        """Adjust the pause of the host that answered."""
        downloader: Any = self._crawler.engine.downloader
        slot = downloader.slots.get(request.meta.get("download_slot"))
        latency = request.meta.get("download_latency")
        if slot is None or latency is None:
            return
        host = urlparse_cached(response).hostname or ""
        floor = downloader.per_slot_settings.get(host, {}).get("delay", 0.0)
        slot.delay = max(self._next_delay(slot.delay, latency, response.status), floor)

    def _next_delay(self, delay: float, latency: float, status: int) -> float:
        """Return the mean of the pause and the target, or the target if it is longer. At the target, the wanted number
        of requests is under way.
        """
        target = latency / self._concurrency
        adjusted = min(max(self._least, target, (delay + target) / 2), self._most)
        return adjusted if status in QUICK_ANSWERS else max(adjusted, delay)
