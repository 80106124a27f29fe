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
from crawler.crawl_stats import Ledger, RequestRefused, SkipOutcome, explain_error
from crawler.fetch.redirects import gone_urls, redirect_chain, report_moved
from crawler.frontier.scheduler import FrontierSpider, scheduler_of
from crawler.job import CrawlJob
from crawler.ports import Arrival, PageClaim
from crawler.sandbox.async_reader import AsyncReader
from crawler.skip_reasons import SkipReason
from crawler.spiders.js_rendering_probe import JsRenderingProbe, read_response_listing, summarize_response
from crawler.spiders.link_policy import LinkPolicy, TrapGuard
from crawler.spiders.page_assets import AssetFetcher
from crawler.spiders.page_summary import PageSummary
from crawler.spiders.sitemaps_and_feeds import LISTING_TYPES, FeedItem
from crawler.spiders.soft_blocks import SOFT_BLOCK_STATUSES, BlockKind, SoftBlock
from crawler.warc.responses import (
    is_file_response,
    is_html_response,
    is_json_type,
    make_capture,
    may_be_file_type,
    may_be_html_type,
    read_media_type,
    rendered_body,
)
from wenhen.kit.errors import Message, Unreadable, message

GONE_STATUSES = frozenset((404, 410))
SHORT_BODY_BYTES = 1 << 20  # bytes of a body that is downloaded whatever its type


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
        self._cut_off: set[str | None] = set()  # hosts whose cut-off was reported
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
        """Stop the download of what cannot be a page. Short bodies may come, so that a missing picture counts as
        missing.
        """
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
        """Yield the requests of the start addresses, each once."""
        for url in dict.fromkeys(canonical_url(url) for url in self._job.start_urls):
            yield self._request(url, hops=0, callback=self.begin)
        self.started = True

    def orphans(self) -> Iterator[Request]:
        """Yield the requests of known pages that nothing links to."""
        for url in filter(self._job.wants, self._job.seeds):
            yield self._request(url, hops=self._job.max_depth)

    async def begin(self, response: Response) -> AsyncIterator[Request]:
        """Process a start address: a page, or a listing, whose addresses are start addresses too."""
        listing = await read_response_listing(self._reader, response, self._job.max_body_bytes)
        if listing is None:
            async for request in self.parse(response):
                yield request
            return
        items = {canonical_url(url): item for url, item in listing.items.items()}
        pages = [
            _attach_feed_item(self._request(url, hops=0), response.url, items)
            for url in self._admitted_urls(listing.pages)
        ]
        lists = [self._request(url, hops=0, callback=self.begin) for url in self._admitted_urls(listing.lists)]
        if not pages and not lists:
            self._ledger.report_missed(
                canonical_url(response.url), SkipOutcome(True, SkipReason.EMPTY_LIST, Message("fetch.empty_list"))
            )
        for request in (*pages, *lists):
            yield request

    def _admitted_urls(self, urls: Iterable[str]) -> list[str]:
        return [url for url in map(canonical_url, urls) if self._links.admits(url)]

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        """Capture a page and follow its links."""
        assert response.request is not None
        url = canonical_url(response.url)
        if response.status == NOT_MODIFIED:  # also of a known front page
            report_moved(self._ledger, response.request, url)
            known = self._follow_stored if STORED_FLAG in response.flags else self._follow_unchanged
            async for request in known(url, response):
                yield request
            return
        if response.status in GONE_STATUSES:  # passed on, because its feed holds the text
            await self._take_item(url, response)
            return
        if not (is_html_response(response) or is_json_type(response.headers)):
            await self._read_file(url, response)
            return
        try:
            page = await self._trial.render_if_needed(
                response, await summarize_response(self._reader, response, as_shown=True)
            )
        except Unreadable as error:
            self._miss(response.request, SkipOutcome(False, SkipReason.BROKEN, error.message))
            return
        if page.block and META_FEED_ITEM not in response.meta:
            self._miss(response.request, _block_outcome(page.block, page.block.message))
            return
        report_moved(self._ledger, response.request, url)
        if page.text or not page.answer:  # JSON without text lists pages, and is none
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
        await self._ledger.store_capture(Arrival(url, taken, response.body, rendered, assets, redirect_chain(response)))

    async def _read_file(self, url: str, response: Response) -> None:
        """Capture a book or a document. It has no links."""
        if not is_file_response(response):
            self._ledger.report_missed(url, SkipOutcome(True, SkipReason.NOT_HTML, Message("fetch.not_a_page")))
        elif await self._take(url, response):
            await self._ledger.store_capture(
                Arrival(url, make_capture(response), response.body, led_here=redirect_chain(response))
            )

    async def _take_item(self, url: str, response: Response) -> None:
        """Capture the answer for a gone page, with the text that its feed still holds."""
        problems = _apply_feed_text(response, "")
        if await self._take(url, response):
            taken = replace(make_capture(response), problems=problems)
            await self._ledger.store_capture(Arrival(url, taken, response.body, rendered_body(response)))

    async def _follow_unchanged(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Store an unchanged page, and follow the links of its stored body."""
        if not await self._take(url, response):
            return
        body = await self._ledger.store_unchanged(url, make_capture(response))
        if is_file_response(response.replace(body=body)):
            return
        for request in self._go_on(await self._links_in(response.replace(body=body)), response.meta[META_HOPS]):
            yield request

    async def _follow_stored(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Follow the links of a stored page for which no request is due."""
        assert response.request is not None
        if await self._take(url, response):
            if response.meta[META_PAGE_CHANGE] and scheduler_of(self.crawler).was_left(response.request):
                self._ledger.count_stored(
                    response.meta[META_PAGE_CHANGE]
                )  # the crawler that stored it vanished before it could count
            elif response.meta[META_PAGE_CHANGE] is None:
                self._ledger.count_rested()
            for request in self._go_on(await self._links_in(response), response.meta[META_HOPS]):
                yield request

    async def _take(self, url: str, response: Response) -> bool:
        """Return whether the page is captured now. It is not if another address led to it, or the page limit is
        reached.
        """
        assert response.request is not None
        taken = await scheduler_of(self.crawler).take(url, response.request)
        if taken is PageClaim.FULL:
            self._ledger.count_left_out()
        return taken is PageClaim.OURS

    def _go_on(self, page: PageSummary, hops: int) -> Iterator[Request]:
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")
        links = self._links.follow(page, hops) if self._job.follow else ()
        return (self._request(url, hops=further) for url, further in links)

    async def missed(self, failure: Failure) -> None:
        """Count an address without a page. Frontiers store this method's name."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if self._ledger.fatal is None:  # otherwise it is given back, and counts when the crawl is resumed
            self._miss(request, await self._soft_block_outcome(failure.value) or explain_error(failure.value))
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")

    async def _soft_block_outcome(self, error: BaseException) -> SkipOutcome | None:
        """Return the outcome of a failed answer that is a soft block."""
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
        """Return the summary of a stored or blocked page. It is empty for an unreadable page."""
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
        self._ledger.report_missed(canonical_url(request.url), outcome)
        for url in gone_urls(request, outcome):
            self._ledger.report_gone(url, outcome.message)

    def _is_first_of_host(self, request: Request) -> bool:
        host, before = host_of(request.url), len(self._cut_off)
        self._cut_off.add(host)
        return len(self._cut_off) > before

    def shuts_out(self, request: Request) -> Message | None:
        """Return why the address of a waiting page turned out to be a trap, or None."""
        return self._traps.shuts_out(canonical_url(request.url)) if request.callback == self.parse else None

    def forget(self) -> None:
        """Enter the addresses again that were entered before."""
        self._links.forget()

    def _request(self, url: str, *, hops: int, callback: Any = None) -> Request:
        return Request(
            self._job.home(url), callback=callback or self.parse, errback=self.missed, meta={META_HOPS: hops}
        )


def _attach_feed_item(request: Request, feed: str, items: Mapping[str, FeedItem]) -> Request:
    """Return the request for a page with the text of its feed attached. Even a gone page is then captured."""
    if item := items.get(request.url):
        request.meta[META_FEED_ITEM] = [feed, item.page, item.text]
        request.meta["handle_httpstatus_list"] = sorted(GONE_STATUSES)
    return request


def _apply_feed_text(response: Response, shown: str) -> tuple[Message, ...]:
    """Replace the text of a page by that of its feed if the feed has more. Return the notes on this."""
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
    """Asks `shuts_out` about each request just before it is sent."""

    def __init__(self, shuts_out: Callable[[Request], Message | None]) -> None:
        self._shuts_out = shuts_out

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TrapMiddleware":
        """Scrapy's constructor."""
        if not isinstance(crawler.spider, SiteSpider):
            raise NotConfigured
        return cls(crawler.spider.shuts_out)

    def process_request(self, request: Request) -> None:
        """Pass or refuse the request."""
        if why := self._shuts_out(request):
            raise RequestRefused(SkipReason.TRAP, message("fetch.trap", reason=why))
