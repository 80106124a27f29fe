"""Keeps every response of a crawl in its archive."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.crawl.answered import Answered, answered
from crawler.crawl.archive_port import Archive
from crawler.crawl.batching import Batcher
from crawler.crawl.connection import Connection
from crawler.crawl.context import context_of
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.request_meta import STORED, WARC_PLACE
from crawler.crawl.seen_certificates import SeenChains
from crawler.crawl.why_not_captured import Refusal
from crawler.fetch.resolver import answer_for
from store.errors import Unavailable
from store.records import WarcPlace


class WarcMiddleware:
    """Hands every response to the archive, redirects and errors too, before anything is made of it."""

    def __init__(self, archive: Archive, ledger: Ledger, chains: SeenChains) -> None:
        self._ledger = ledger
        self._chains = chains
        self._write = Batcher[Answered, WarcPlace](archive.write_all)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "WarcMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if context.archive is None:
            raise NotConfigured
        return cls(context.archive, context.ledger, context.chains)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Keep the response, off the reactor's thread; without its evidence no page goes on."""
        if STORED in response.flags:  # no server gave it
            return response
        try:
            connection = Connection(self._chains.of(response), answer_for(request))
            request.meta[WARC_PLACE] = await self._write(answered(request, response, connection))
        except Unavailable as error:
            self._ledger.fatal = self._ledger.fatal or error
            raise Refusal(Reason.NOT_STORED, error.message) from error
        return response
