"""Obey robots.txt (RFC 9309), also where it cannot be fetched.

The pause that it asks for is kept by `crawler.politeness.cooldown`.
"""

import asyncio
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from crawler.fetch_errors import RequestSkipped, SkipOutcome, explain_error
from crawler.politeness.cooldown import apply_crawl_delay
from crawler.politeness.robots_rules import MAX_ROBOTS_BYTES, ROBOTS_BOUNDS
from crawler.sandbox.pool import read_in_child
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Unreadable, message, plain_message

ROBOTS_PATH = "/robots.txt"
RULES_FUNCTION = "crawler.politeness.robots_rules:rules_for_agent"
TOO_MANY_REQUESTS = 429  # a server that says this of robots.txt wants less to be asked, not all


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's, but for a robots.txt that cannot be had.

    2.3.1.3: one that is unavailable (4xx, or redirected where we do not go) forbids nothing. 2.3.1.4: one that is
    unreachable (5xx, no answer) forbids everything; this crawl then fetches nothing there, the next one asks again. One
    that cannot be read within bounds is as one that is unreachable.
    """

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Let the request pass, or refuse it."""
        if isinstance(rp, _Unreachable):
            raise RequestSkipped(rp.outcome)
        if urlparse_cached(request).path != ROBOTS_PATH:  # 2.2.2: always allowed
            super().process_request_2(rp, request)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == TOO_MANY_REQUESTS:
            why = message("fetch.answered", status=response.status)
            self._unreachable(SkipOutcome(False, SkipReason.NO_ROBOTS, why), netloc)
        elif response.status >= 300:
            self._robots_error(IgnoreRequest(f"status {response.status}"), netloc)
        else:
            body = response.body[:MAX_ROBOTS_BYTES]
            try:
                ours = await asyncio.to_thread(read_in_child, RULES_FUNCTION, body, self._agent, bounds=ROBOTS_BOUNDS)
            except Unreadable as error:
                self._unreachable(SkipOutcome(False, SkipReason.NO_ROBOTS, error.message), netloc)
                return
            await super()._parse_robots(response.replace(body=ours), netloc, request)
            parser = self._parsers[netloc]
            if isinstance(parser, RobotParser):
                downloader: Any = self.crawler.engine.downloader
                host = urlparse_cached(request).hostname or ""
                apply_crawl_delay(downloader, host, parser.crawl_delay(self._agent) or 0.0)

    @property
    def _agent(self) -> str:
        return str(self._robotstxt_useragent or self._default_useragent)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if isinstance(exc, IgnoreRequest):
            super()._robots_error(exc, netloc)
        else:
            self._unreachable(explain_error(exc), netloc)

    def _unreachable(self, outcome: SkipOutcome, netloc: str) -> None:
        why = message("fetch.no_robots", reason=outcome.message)
        waiting = self._parsers[netloc]
        self._parsers[netloc] = parser = _Unreachable(SkipOutcome(outcome.refused, outcome.reason, why))
        assert isinstance(waiting, Deferred)
        waiting.callback(parser)


class _Unreachable(RobotParser):
    """Stands for a robots.txt that could not be had."""

    def __init__(self, outcome: SkipOutcome) -> None:
        self.outcome = outcome

    @classmethod
    def from_crawler(cls, crawler: object, robotstxt_body: bytes) -> "_Unreachable":  # noqa: ARG003  Scrapy hands it over
        """Where Scrapy would parse a file, its text is all that is known of why there is none."""
        return cls(SkipOutcome(False, SkipReason.NO_ROBOTS, plain_message(robotstxt_body.decode("utf-8", "replace"))))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:  # noqa: ARG002  nothing is
        """Nothing is allowed."""
        return False
