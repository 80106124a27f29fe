"""Capture the pages of a site and follow their links."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured, StopDownload
from scrapy.http import Headers, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.addresses import canonical_url, host_of
from crawler.capture import NOT_MODIFIED
from crawler.context import META_FEED_ITEM, META_HOPS, META_PAGE_CHANGE, META_RENDERED, STORED_FLAG, context_of
from crawler.crawl_stats import Ledger
from crawler.extraction.content_type import (
    is_file_response,
    is_html_response,
    is_json_type,
    may_be_file_type,
    may_be_html_type,
    read_media_type,
)
from crawler.fetch.redirects import gone_urls, permanently_moved_urls, redirect_chain, urls_sent_to_front_page
from crawler.fetch_errors import RequestRefused, SkipOutcome, explain_error
from crawler.frontier.scheduler import FrontierSpider, scheduler_of
from crawler.job import CrawlJob
from crawler.ports import Arrival, PageClaim
from crawler.sandbox.async_reader import AsyncReader
from crawler.skip_reasons import SkipReason
from crawler.spiders.crawler_traps import TrapGuard
from crawler.spiders.js_rendering_probe import JsRenderingProbe, read_response_listing, summarize_response
from crawler.spiders.link_policy import LinkPolicy
from crawler.spiders.page_assets import AssetFetcher
from crawler.spiders.page_summary import PageSummary
from crawler.spiders.sitemaps_and_feeds import LISTING_TYPES, FeedItem
from crawler.spiders.soft_blocks import SOFT_BLOCK_STATUSES, BlockKind, SoftBlock
from crawler.warc.responses import make_capture, rendered_body
from wenhen.kit.errors import Message, Unreadable, message

# The spider of a site: captures its pages and follows their links.


GONE_STATUSES = frozenset((404, 410))
SHORT_BODY_BYTES = 1 << 20  # bytes


class SiteSpider(FrontierSpider):
    """Captures the pages of one job and follows the links among its hosts."""

    name = "site"

    def __init__(
        self, job: CrawlJob, ledger: Ledger, assets: AssetFetcher, reader: AsyncReader, trial: JsRenderingProbe
    ) -> None:
        super().__init__()
        self._trial = trial
        self._reader = reader
        self._assets = assets
        self._job = job
        self._ledger = ledger
        self._traps = TrapGuard()
        self._cut_off: set[str | None] = set()  # hosts of which that was told
        self._links = LinkPolicy(job, ledger, self._traps)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "SiteSpider":
        """Scrapy's constructor."""
        context = context_of(crawler)
        job, ledger, reader = context.job, context.ledger, context.reader
        assets = AssetFetcher(crawler, job, ledger, reader)
        trial = JsRenderingProbe(crawler, ledger, reader)
        spider = super().from_crawler(crawler, job, ledger, assets, reader, trial, *args, **kwargs)
        crawler.signals.connect(spider.stop_unwanted, signals.headers_received)
        return spider

    def stop_unwanted(self, headers: Headers, body_length: object, request: Request) -> None:
        """Do not download what cannot be a page; short bodies may come, so that a missing picture counts as missing."""
        short = isinstance(body_length, int) and body_length < SHORT_BODY_BYTES
        wanted = (
            may_be_html_type(headers)
            or may_be_file_type(headers)
            or is_json_type(headers)
            or (request.callback == self.begin and read_media_type(headers) in LISTING_TYPES)
        )
        if request.callback in (self.parse, self.begin) and not short and not wanted:
            raise StopDownload(fail=True)

    async def start(self) -> AsyncIterator[Request]:
        """The start addresses, each once."""
        for url in dict.fromkeys(canonical_url(url) for url in self._job.start_urls):
            yield self._request(url, hops=0, callback=self.begin)
        self.started = True

    def orphans(self) -> Iterator[Request]:
        """Known pages that nothing leads to any more."""
        for url in filter(self._job.wants, self._job.seeds):
            yield self._request(url, hops=self._job.max_depth)

    async def begin(self, response: Response) -> AsyncIterator[Request]:
        """Take up a start address: a page, or a list, whose addresses are start addresses as well."""
        found = await read_response_listing(self._reader, response, self._job.max_body_bytes)
        if found is None:
            async for request in self.parse(response):
                yield request
            return
        items = {canonical_url(url): item for url, item in found.items.items()}
        pages = [
            _attach_feed_item(self._request(url, hops=0), response.url, items) for url in self._admitted(found.pages)
        ]
        lists = [self._request(url, hops=0, callback=self.begin) for url in self._admitted(found.lists)]
        if not pages and not lists:
            self._ledger.missed(
                canonical_url(response.url), SkipOutcome(True, SkipReason.EMPTY_LIST, Message("fetch.empty_list"))
            )
        for request in (*pages, *lists):
            yield request

    def _admitted(self, urls: Iterable[str]) -> list[str]:
        return [url for url in map(canonical_url, urls) if self._links.admits(url)]

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        """Capture a page and follow its links."""
        assert response.request is not None
        url = canonical_url(response.url)
        if response.status == NOT_MODIFIED:  # also of a front page that was captured before
            self._note_led_here(response.request, url)
            known = self._stored if STORED_FLAG in response.flags else self._unchanged
            async for request in known(url, response):
                yield request
            return
        if response.status in GONE_STATUSES:  # let through for the text that its feed holds
            await self._take_item(url, response)
            return
        if not (is_html_response(response) or is_json_type(response.headers)):
            await self._read_file(url, response)
            return
        try:
            page = await self._trial.shown(response, await summarize_response(self._reader, response, as_shown=True))
        except Unreadable as error:
            self._miss(response.request, SkipOutcome(False, SkipReason.BROKEN, error.message))
            return
        if page.block and META_FEED_ITEM not in response.meta:
            self._miss(response.request, _block_outcome(page.block, page.block.message))
            return
        self._note_led_here(response.request, url)
        if page.text or not page.answer:  # JSON without a text names pages, and is none
            if not await self._take(url, response):
                return
            await self._capture(url, response, page)
        for request in self._go_on(page, response.meta[META_HOPS]):
            yield request

    async def _capture(self, url: str, response: Response, page: PageSummary) -> None:
        self._ledger.look(page.classes, page.language)
        problems = _apply_feed_text(response, page.text)
        taken, rendered = make_capture(response), rendered_body(response)
        taken = replace(taken, problems=(*taken.problems, *problems))
        shown = response.body if rendered is None else rendered
        taken, assets = await self._assets.with_assets(url, taken, shown, page)
        await self._ledger.captured(Arrival(url, taken, response.body, rendered, assets, redirect_chain(response)))

    def _note_led_here(self, request: Request, url: str) -> None:
        for origin in urls_sent_to_front_page(request):
            self._ledger.gone(origin, message("fetch.sent_home", url=url))
        for origin in permanently_moved_urls(request):
            self._ledger.gone(origin, message("fetch.moved", url=url))

    async def _read_file(self, url: str, response: Response) -> None:
        """Capture a book or a document, which leads nowhere."""
        if not is_file_response(response):
            self._ledger.missed(url, SkipOutcome(True, SkipReason.NOT_HTML, Message("fetch.not_a_page")))
        elif await self._take(url, response):
            await self._ledger.captured(
                Arrival(url, make_capture(response), response.body, led_here=redirect_chain(response))
            )

    async def _take_item(self, url: str, response: Response) -> None:
        """Capture what a server says of a page that is gone, with the text that its feed still holds."""
        problems = _apply_feed_text(response, "")
        if await self._take(url, response):
            taken = replace(make_capture(response), problems=problems)
            await self._ledger.captured(Arrival(url, taken, response.body, rendered_body(response)))

    async def _unchanged(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Note a page that is as it was captured before, and follow the links of then."""
        if not await self._take(url, response):
            return
        body = await self._ledger.unchanged(url, make_capture(response))
        if is_file_response(response.replace(body=body)):
            return
        for request in self._go_on(await self._links_in(response.replace(body=body)), response.meta[META_HOPS]):
            yield request

    async def _stored(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Follow the links of a page that need not be asked for."""
        assert response.request is not None
        if await self._take(url, response):
            if response.meta[META_PAGE_CHANGE] and scheduler_of(self.crawler).was_left(response.request):
                self._ledger.stored(response.meta[META_PAGE_CHANGE])  # by a crawler that could not count it any more
            elif response.meta[META_PAGE_CHANGE] is None:
                self._ledger.rested()
            for request in self._go_on(await self._links_in(response), response.meta[META_HOPS]):
                yield request

    async def _take(self, url: str, response: Response) -> bool:
        """Whether the page is captured now; not where another address led to it before, or where there are enough."""
        assert response.request is not None
        taken = await scheduler_of(self.crawler).take(url, response.request)
        if taken is PageClaim.FULL:
            self._ledger.left_out()
        return taken is PageClaim.OURS

    def _go_on(self, page: PageSummary, hops: int) -> Iterator[Request]:
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")
        links = self._links.follow(page, hops) if self._job.follow else ()
        return (self._request(url, hops=further) for url, further in links)

    async def missed(self, failure: Failure) -> None:
        """Count an address that gave no page."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if self._ledger.fatal is None:  # else it is given back, and counts when the crawl is taken up
            self._miss(request, await self._blocked(failure.value) or explain_error(failure.value))
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")

    async def _blocked(self, error: BaseException) -> SkipOutcome | None:
        """What a failed answer says of itself, when it is a soft block."""
        if (
            not isinstance(error, HttpError)
            or error.response.status not in SOFT_BLOCK_STATUSES
            or not is_html_response(error.response)
        ):
            return None
        block = (await self._links_in(error.response)).block
        if block is None:
            return None
        return _block_outcome(block, message("fetch.with_status", block=block.message, status=error.response.status))

    async def _links_in(self, response: Response) -> PageSummary:
        """A page that is stored already, or is none; of one that cannot be read nothing is known."""
        try:
            return await summarize_response(self._reader, response)
        except Unreadable:
            return PageSummary(response.url)

    def _miss(self, request: Request, outcome: SkipOutcome) -> None:
        if outcome.reason == SkipReason.TRAP and not self._traps.is_first(canonical_url(request.url)):
            return
        if outcome.reason == SkipReason.NOT_WANTED or (
            outcome.reason == SkipReason.CUT_OFF and not self._is_first_of_host(request)
        ):
            self._ledger.count_missed(outcome)
            return
        self._ledger.missed(canonical_url(request.url), outcome)
        for url in gone_urls(request, outcome):
            self._ledger.gone(url, outcome.message)

    def _is_first_of_host(self, request: Request) -> bool:
        host, before = host_of(request.url), len(self._cut_off)
        self._cut_off.add(host)
        return len(self._cut_off) > before

    def shuts_out(self, request: Request) -> Message | None:
        """Why the address of a page, found earlier, turned out to be one of a trap; None where it did not."""
        return self._traps.shuts_out(canonical_url(request.url)) if request.callback == self.parse else None

    def forget(self) -> None:
        """Hand over again what was handed over before."""
        self._links.forget()

    def _request(self, url: str, *, hops: int, callback: Any = None) -> Request:
        return Request(
            self._job.home(url), callback=callback or self.parse, errback=self.missed, meta={META_HOPS: hops}
        )


def _attach_feed_item(request: Request, feed: str, items: Mapping[str, FeedItem]) -> Request:
    """The request for a page, with the text that a feed holds for it, even where the page is gone."""
    if item := items.get(request.url):
        request.meta[META_FEED_ITEM] = [feed, item.page, item.text]
        request.meta["handle_httpstatus_list"] = sorted(GONE_STATUSES)
    return request


def _apply_feed_text(response: Response, shown: str) -> tuple[Message, ...]:
    """Have the text of a page that shows this read from its feed, where that holds more; what is said of it then."""
    if META_FEED_ITEM not in response.meta:
        return ()
    feed, page, text = response.meta[META_FEED_ITEM]
    if FeedItem(page, text).stands_in(shown):
        return ()
    response.meta[META_RENDERED] = page.encode("utf-8", "replace")
    return (message("page.text_of_feed", url=feed),)


def _block_outcome(block: SoftBlock, message: Message) -> SkipOutcome:
    return SkipOutcome(True, SkipReason.REMOVED if block.kind is BlockKind.REMOVED else SkipReason.SOFT_BLOCK, message)


class TrapMiddleware:
    """Asks about each request just before it is sent; `shuts_out` says why it is left out."""

    def __init__(self, shuts_out: Callable[[Request], Message | None]) -> None:
        self._shuts_out = shuts_out

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TrapMiddleware":
        """Scrapy's constructor."""
        if not isinstance(crawler.spider, SiteSpider):
            raise NotConfigured
        return cls(crawler.spider.shuts_out)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it."""
        if why := self._shuts_out(request):
            raise RequestRefused(SkipReason.TRAP, message("fetch.trap", reason=why))
