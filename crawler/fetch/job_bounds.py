"""Keeps a crawl inside the bounds of its job."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError

from crawler.crawl.context import context_of
from crawler.crawl.host_names import host_of
from crawler.crawl.job import CrawlJob
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.request_meta import HOPS
from crawler.crawl.why_not_captured import Refusal
from crawler.fetch.resolver import GuardedResolver
from store.messages import Message, message


class BoundsMiddleware:
    """Refuses addresses outside the job, also where a redirect leads, and names private addresses for what they are.

    Scrapy's own check lets pass what is marked `dont_filter`, as every retried and redirected request is.
    """

    def __init__(self, job: CrawlJob) -> None:
        self._job = job

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BoundsMiddleware":
        """Scrapy's constructor."""
        return cls(context_of(crawler).job)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it."""
        if not self._job.admits(request.url):
            raise Refusal(Reason.OTHER_HOST, message("fetch.other_host", url=request.url))
        found = request.meta.get(HOPS, 0) > 0 and "redirect_urls" not in request.meta
        if found and not self._job.wants(request.url):  # when it was found the site's patterns were others
            raise Refusal(Reason.NOT_WANTED, Message("fetch.not_wanted"))

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turn a resolution that was kept back into a refusal, which is not tried again."""
        if not isinstance(exception, CannotResolveHostError):
            return
        from twisted.internet import reactor

        resolver = getattr(reactor, "nameResolver", None)
        host = host_of(request.url) or ""
        if isinstance(resolver, GuardedResolver) and host in resolver.kept_back:
            why = message("fetch.private_address", host=host)
            raise Refusal(Reason.PRIVATE_ADDRESS, why) from exception
