"""robots.txt as RFC 9309 wants it, and the pause between requests that it asks for."""

import asyncio
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from crawler.crawl.host_rests import LONGEST_WAIT
from crawler.crawl.why_not_captured import Missed, Outcome, Reason, explain
from crawler.fetch.robots_rules import BOUNDS, MOST_READ
from crawler.isolated.child import read
from store.errors import Unreadable
from store.messages import message, plain

PATH = "/robots.txt"
FOR_AGENT = "crawler.fetch.robots_rules:for_agent"
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
            raise Missed(rp.outcome)
        if urlparse_cached(request).path != PATH:  # 2.2.2: always allowed
            super().process_request_2(rp, request)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == TOO_MANY_REQUESTS:
            why = message("fetch.answered", status=response.status)
            self._unreachable(Outcome(False, Reason.NO_ROBOTS, why), netloc)
        elif response.status >= 300:
            self._robots_error(IgnoreRequest(f"status {response.status}"), netloc)
        else:
            body = response.body[:MOST_READ]
            try:
                ours = await asyncio.to_thread(read, FOR_AGENT, body, self._agent, bounds=BOUNDS)
            except Unreadable as error:
                self._unreachable(Outcome(False, Reason.NO_ROBOTS, error.message), netloc)
                return
            await super()._parse_robots(response.replace(body=ours), netloc, request)
            parser = self._parsers[netloc]
            if isinstance(parser, RobotParser):
                self._slow_down(urlparse_cached(request).hostname or "", parser)

    @property
    def _agent(self) -> str:
        return str(self._robotstxt_useragent or self._default_useragent)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if isinstance(exc, IgnoreRequest):
            super()._robots_error(exc, netloc)
        else:
            self._unreachable(explain(exc), netloc)

    def _unreachable(self, outcome: Outcome, netloc: str) -> None:
        why = message("fetch.no_robots", reason=outcome.message)
        waiting = self._parsers[netloc]
        self._parsers[netloc] = parser = _Unreachable(Outcome(outcome.refused, outcome.reason, why))
        assert isinstance(waiting, Deferred)
        waiting.callback(parser)

    def _slow_down(self, host: str, parser: RobotParser) -> None:
        """Heed Crawl-delay (of no standard, but asked for by many) as the least pause between two requests."""
        asked = parser.crawl_delay(self._agent) or 0.0
        if not asked > 0:  # also for "nan"
            return
        downloader: Any = self.crawler.engine.downloader
        floor = max(downloader.settings.getfloat("DOWNLOAD_DELAY"), min(asked, LONGEST_WAIT))
        # Slots come and go; this is kept.
        downloader.per_slot_settings[host] = {"delay": floor, "jitter": 0.0}
        if slot := downloader.slots.get(host):
            slot.delay, slot.jitter = max(slot.delay, floor), 0.0


class _Unreachable(RobotParser):
    """Stands for a robots.txt that could not be had."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    @classmethod
    def from_crawler(cls, crawler: object, robotstxt_body: bytes) -> "_Unreachable":  # noqa: ARG003  Scrapy hands it over
        """Where Scrapy would parse a file, its text is all that is known of why there is none."""
        return cls(Outcome(False, Reason.NO_ROBOTS, plain(robotstxt_body.decode("utf-8", "replace"))))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:  # noqa: ARG002  nothing is
        """Nothing is allowed."""
        return False
