"""Obey robots.txt (RFC 9309), also if it cannot be fetched.

`crawler.politeness.throttling` applies its Crawl-delay.
"""

import asyncio
import logging
from typing import Any, Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.httpobj import urlparse_cached

from crawler.crawl_stats import RequestRefused, RequestSkipped, SkipOutcome, explain_error
from crawler.politeness.robots_parsing import distinguish_bytes
from crawler.politeness.throttling import apply_crawl_delay
from crawler.sandbox.pool import read_in_child
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message, Unreadable, message
from wenhen.kit.size_and_time_limits import MAX_ROBOTS_BYTES, ROBOTS_BOUNDS

ROBOTS_PATH: Final = "/robots.txt"
ROBOTS_PRIORITY: Final = 1000  # before all pages
RULES_FUNCTION: Final = "crawler.politeness.robots_parsing:rules_for_agent"
TOO_MANY_REQUESTS: Final = 429  # of robots.txt it asks for fewer requests, so it forbids none for good
DONT_OBEY: Final = "dont_obey_robotstxt"  # Scrapy's key in the meta of a request

logger = logging.getLogger(__name__)

Rules = ProtegoRobotParser | SkipOutcome | None  # the rules, the reason to fetch nothing, or no rules


class RobotsMiddleware:
    """Fetches the robots.txt of each server once. Requests to the server wait for it.

    An unavailable one (4xx, or redirected outside) forbids nothing (2.3.1.3). An unreachable one (5xx, no answer)
    forbids everything (2.3.1.4). This crawl then fetches nothing there, and the next one asks again. One that cannot be
    read within bounds counts as unreachable.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent = str(crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"])
        self._rules: dict[str, asyncio.Future[Rules]] = {}  # by host and port

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RobotsMiddleware":
        """Scrapy's constructor."""
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Pass or refuse the request."""
        if request.meta.get(DONT_OBEY) or request.url.startswith(("data:", "file:")):
            return
        rules = await self._rules_for(request)
        if isinstance(rules, SkipOutcome):
            raise RequestSkipped(rules)
        if rules is None or urlparse_cached(request).path == ROBOTS_PATH:  # 2.2.2: always allowed
            return
        if not rules.allowed(distinguish_bytes(request.url), self._agent):
            raise RequestRefused(SkipReason.ROBOTS, Message("fetch.robots"))

    async def _rules_for(self, request: Request) -> Rules:
        server = urlparse_cached(request).netloc
        if (known := self._rules.get(server)) is not None:
            return await asyncio.shield(known)  # a cancelled request ends no other's wait
        fetched = self._rules[server] = asyncio.get_running_loop().create_future()
        try:
            rules = await self._fetch(request)
        except IgnoreRequest:
            rules = None
        except Exception as error:
            logger.exception("Error downloading the robots.txt of %s", server)
            rules = _unreachable(explain_error(error))
        fetched.set_result(rules)
        return rules

    async def _fetch(self, request: Request) -> Rules:
        url = urlparse_cached(request)
        asking = Request(
            f"{url.scheme}://{url.netloc}{ROBOTS_PATH}",
            priority=ROBOTS_PRIORITY,
            meta={DONT_OBEY: True},
            callback=NO_CALLBACK,
        )
        engine: Any = self._crawler.engine
        response: Response = await engine.download_async(asking)
        if response.status >= 500 or response.status == TOO_MANY_REQUESTS:
            why = message("fetch.answered", status=response.status)
            return _unreachable(SkipOutcome(False, SkipReason.NO_ROBOTS, why))
        if response.status >= 300:
            return None
        body = response.body[:MAX_ROBOTS_BYTES]
        try:
            own_rules = await asyncio.to_thread(read_in_child, RULES_FUNCTION, body, self._agent, bounds=ROBOTS_BOUNDS)
        except Unreadable as error:
            return _unreachable(SkipOutcome(False, SkipReason.NO_ROBOTS, error.message))
        rules = ProtegoRobotParser(distinguish_bytes(own_rules.decode()).encode(), None)
        apply_crawl_delay(engine.downloader, url.hostname or "", rules.crawl_delay(self._agent) or 0.0)
        return rules


def _unreachable(outcome: SkipOutcome) -> SkipOutcome:
    """Return the outcome of all requests to a server without readable robots.txt."""
    return SkipOutcome(outcome.refused, outcome.reason, message("fetch.no_robots", reason=outcome.message))
