"""Asks a server for a page only if it changed, and not at all where it need not be asked."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.context import context_of
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.job import Render
from crawler.crawl.request_meta import FEED_ITEM, FOUND, HOPS, STORED
from crawler.crawl.validators import CONDITIONS
from store.rules.web.page_after_capture import NOT_MODIFIED


class ConditionalMiddleware:
    """Sends with the request for a page what its server said of the last capture; nearer to the server than redirects,
    so that each address on the way is asked for with its own.
    """

    def __init__(self, ledger: Ledger, render: Render) -> None:
        self._ledger = ledger
        self._renders = render is Render.ALWAYS  # a shell that is unchanged says nothing of its page

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ConditionalMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if not context.ledger.remembers:
            raise NotConfigured
        return cls(context.ledger, context.job.render)

    async def process_request(self, request: Request) -> Response | None:
        """Set the conditions, in place of those of another address that led here; or answer with what is stored."""
        for name in CONDITIONS:
            request.headers.pop(name, None)
        if HOPS not in request.meta:  # robots.txt
            return None
        url = canonical(request.url)
        remembered = await self._ledger.remembered(url)
        if remembered.body is not None:
            request.meta.update({"handle_httpstatus_list": [NOT_MODIFIED], FOUND: remembered.found})
            return Response(request.url, status=NOT_MODIFIED, body=remembered.body, flags=[STORED], request=request)
        known = None if self._renders or FEED_ITEM in request.meta else remembered.validators
        if known is not None:
            for name, value in zip(CONDITIONS, (known.etag, known.last_modified), strict=True):
                if value:
                    request.headers[name] = value.encode("latin-1", "ignore")
            request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return None
