"""The spider of a site: captures its pages and follows their links."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, StopDownload
from scrapy.http import Headers, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.context import context_of
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.frontier_port import Taken
from crawler.crawl.host_names import host_of
from crawler.crawl.job import CrawlJob
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.request_meta import FEED_ITEM, FOUND, HOPS, RENDERED, STORED
from crawler.crawl.sink_port import Arrival
from crawler.crawl.why_not_captured import Outcome, explain
from crawler.evidence.capture import capture, rendered_page
from crawler.extract.files.content_type import is_file, is_html, is_json, may_be_file, may_be_html, media_type
from crawler.frontier.scheduler import scheduler_of
from crawler.frontier.spider import FrontierSpider
from crawler.isolated.reader import Reader
from crawler.spiders.answers_that_mean_gone import sent_home, vanished
from crawler.spiders.crawler_traps import TrapGuard
from crawler.spiders.feed_items import FeedItem
from crawler.spiders.fetch_page_assets import AssetFetcher
from crawler.spiders.led_here import led_here, moved_for_good
from crawler.spiders.link_policy import LinkPolicy
from crawler.spiders.rendering_trial import RenderingTrial
from crawler.spiders.seen_in_child import seen, seen_list
from crawler.spiders.seen_page import SeenPage
from crawler.spiders.sitemaps_and_feeds import LISTING_TYPES
from crawler.spiders.soft_blocks import STATUSES, Kind, SoftBlock
from store.errors import Unreadable
from store.messages import Message, message
from store.rules.web.page_after_capture import NOT_MODIFIED

GONE_STATUSES = frozenset((404, 410))
SHORT_BODY = 1 << 20  # bytes


class SiteSpider(FrontierSpider):
    """Captures the pages of one job and follows the links among its hosts."""

    name = "site"

    def __init__(
        self, job: CrawlJob, ledger: Ledger, assets: AssetFetcher, reader: Reader, trial: RenderingTrial
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
        trial = RenderingTrial(crawler, ledger, reader)
        spider = super().from_crawler(crawler, job, ledger, assets, reader, trial, *args, **kwargs)
        crawler.signals.connect(spider.stop_unwanted, signals.headers_received)
        return spider

    def stop_unwanted(self, headers: Headers, body_length: object, request: Request) -> None:
        """Do not download what cannot be a page; short bodies may come, so that a missing picture counts as missing."""
        short = isinstance(body_length, int) and body_length < SHORT_BODY
        wanted = (
            may_be_html(headers)
            or may_be_file(headers)
            or is_json(headers)
            or (request.callback == self.begin and media_type(headers) in LISTING_TYPES)
        )
        if request.callback in (self.parse, self.begin) and not short and not wanted:
            raise StopDownload(fail=True)

    async def start(self) -> AsyncIterator[Request]:
        """The start addresses, each once."""
        for url in dict.fromkeys(canonical(url) for url in self._job.start_urls):
            yield self._request(url, hops=0, callback=self.begin)
        self.started = True

    def orphans(self) -> Iterator[Request]:
        """Known pages that nothing leads to any more."""
        for url in filter(self._job.wants, self._job.seeds):
            yield self._request(url, hops=self._job.max_depth)

    async def begin(self, response: Response) -> AsyncIterator[Request]:
        """Take up a start address: a page, or a list, whose addresses are start addresses as well."""
        found = await seen_list(self._reader, response, self._job.max_body_bytes)
        if found is None:
            async for request in self.parse(response):
                yield request
            return
        items = {canonical(url): item for url, item in found.items.items()}
        pages = [_with_item(self._request(url, hops=0), response.url, items) for url in self._admitted(found.pages)]
        lists = [self._request(url, hops=0, callback=self.begin) for url in self._admitted(found.lists)]
        if not pages and not lists:
            self._ledger.missed(canonical(response.url), Outcome(True, Reason.EMPTY_LIST, Message("fetch.empty_list")))
        for request in (*pages, *lists):
            yield request

    def _admitted(self, urls: Iterable[str]) -> list[str]:
        return [url for url in map(canonical, urls) if self._links.admits(url)]

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        """Capture a page and follow its links."""
        assert response.request is not None
        url = canonical(response.url)
        if response.status == NOT_MODIFIED:  # also of a front page that was captured before
            self._note_led_here(response.request, url)
            known = self._stored if STORED in response.flags else self._unchanged
            async for request in known(url, response):
                yield request
            return
        if response.status in GONE_STATUSES:  # let through for the text that its feed holds
            await self._take_item(url, response)
            return
        if not (is_html(response) or is_json(response.headers)):
            await self._read_file(url, response)
            return
        try:
            page = await self._trial.shown(response, await seen(self._reader, response, as_shown=True))
        except Unreadable as error:
            self._miss(response.request, Outcome(False, Reason.BROKEN, error.message))
            return
        if page.block and FEED_ITEM not in response.meta:
            self._miss(response.request, _outcome_of(page.block, page.block.message))
            return
        self._note_led_here(response.request, url)
        if page.text or not page.answer:  # JSON without a text names pages, and is none
            if not await self._take(url, response):
                return
            await self._capture(url, response, page)
        for request in self._go_on(page, response.meta[HOPS]):
            yield request

    async def _capture(self, url: str, response: Response, page: SeenPage) -> None:
        self._ledger.look(page.classes, page.language)
        problems = _read_from_feed(response, page.text)
        taken, rendered = capture(response), rendered_page(response)
        taken = replace(taken, problems=(*taken.problems, *problems))
        shown = response.body if rendered is None else rendered
        taken, assets = await self._assets.with_assets(url, taken, shown, page)
        await self._ledger.captured(Arrival(url, taken, response.body, rendered, assets, led_here(response)))

    def _note_led_here(self, request: Request, url: str) -> None:
        for origin in sent_home(request):
            self._ledger.gone(origin, message("fetch.sent_home", url=url))
        for origin in moved_for_good(request):
            self._ledger.gone(origin, message("fetch.moved", url=url))

    async def _read_file(self, url: str, response: Response) -> None:
        """Capture a book or a document, which leads nowhere."""
        if not is_file(response):
            self._ledger.missed(url, Outcome(True, Reason.NOT_HTML, Message("fetch.not_a_page")))
        elif await self._take(url, response):
            await self._ledger.captured(Arrival(url, capture(response), response.body, led_here=led_here(response)))

    async def _take_item(self, url: str, response: Response) -> None:
        """Capture what a server says of a page that is gone, with the text that its feed still holds."""
        problems = _read_from_feed(response, "")
        if await self._take(url, response):
            taken = replace(capture(response), problems=problems)
            await self._ledger.captured(Arrival(url, taken, response.body, rendered_page(response)))

    async def _unchanged(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Note a page that is as it was captured before, and follow the links of then."""
        if not await self._take(url, response):
            return
        body = await self._ledger.unchanged(url, capture(response))
        if is_file(response.replace(body=body)):
            return
        for request in self._go_on(await self._links_in(response.replace(body=body)), response.meta[HOPS]):
            yield request

    async def _stored(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Follow the links of a page that need not be asked for."""
        assert response.request is not None
        if await self._take(url, response):
            if response.meta[FOUND] and scheduler_of(self.crawler).was_left(response.request):
                self._ledger.stored(response.meta[FOUND])  # by a crawler that could not count it any more
            elif response.meta[FOUND] is None:
                self._ledger.rested()
            for request in self._go_on(await self._links_in(response), response.meta[HOPS]):
                yield request

    async def _take(self, url: str, response: Response) -> bool:
        """Whether the page is captured now; not where another address led to it before, or where there are enough."""
        assert response.request is not None
        taken = await scheduler_of(self.crawler).take(url, response.request)
        if taken is Taken.FULL:
            self._ledger.left_out()
        return taken is Taken.OURS

    def _go_on(self, page: SeenPage, hops: int) -> Iterator[Request]:
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")
        links = self._links.follow(page, hops) if self._job.follow else ()
        return (self._request(url, hops=further) for url, further in links)

    async def missed(self, failure: Failure) -> None:
        """Count an address that gave no page."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if self._ledger.fatal is None:  # else it is given back, and counts when the crawl is taken up
            self._miss(request, await self._blocked(failure.value) or explain(failure.value))
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")

    async def _blocked(self, error: BaseException) -> Outcome | None:
        """What a failed answer says of itself, when it is a soft block."""
        if not isinstance(error, HttpError) or error.response.status not in STATUSES or not is_html(error.response):
            return None
        block = (await self._links_in(error.response)).block
        if block is None:
            return None
        return _outcome_of(block, message("fetch.with_status", block=block.message, status=error.response.status))

    async def _links_in(self, response: Response) -> SeenPage:
        """A page that is stored already, or is none; of one that cannot be read nothing is known."""
        try:
            return await seen(self._reader, response)
        except Unreadable:
            return SeenPage(response.url)

    def _miss(self, request: Request, outcome: Outcome) -> None:
        if outcome.reason == Reason.TRAP and not self._traps.is_first(canonical(request.url)):
            return
        if outcome.reason == Reason.NOT_WANTED or (
            outcome.reason == Reason.CUT_OFF and not self._is_first_of_host(request)
        ):
            self._ledger.count_missed(outcome)
            return
        self._ledger.missed(canonical(request.url), outcome)
        for url in vanished(request, outcome):
            self._ledger.gone(url, outcome.message)

    def _is_first_of_host(self, request: Request) -> bool:
        host, before = host_of(request.url), len(self._cut_off)
        self._cut_off.add(host)
        return len(self._cut_off) > before

    def shuts_out(self, request: Request) -> Message | None:
        """Why the address of a page, found earlier, turned out to be one of a trap; None where it did not."""
        return self._traps.shuts_out(canonical(request.url)) if request.callback == self.parse else None

    def forget(self) -> None:
        """Hand over again what was handed over before."""
        self._links.forget()

    def _request(self, url: str, *, hops: int, callback: Any = None) -> Request:
        return Request(self._job.home(url), callback=callback or self.parse, errback=self.missed, meta={HOPS: hops})


def _with_item(request: Request, feed: str, items: Mapping[str, FeedItem]) -> Request:
    """The request for a page, with the text that a feed holds for it, even where the page is gone."""
    if item := items.get(request.url):
        request.meta[FEED_ITEM] = [feed, item.page, item.text]
        request.meta["handle_httpstatus_list"] = sorted(GONE_STATUSES)
    return request


def _read_from_feed(response: Response, shown: str) -> tuple[Message, ...]:
    """Have the text of a page that shows this read from its feed, where that holds more; what is said of it then."""
    if FEED_ITEM not in response.meta:
        return ()
    feed, page, text = response.meta[FEED_ITEM]
    if FeedItem(page, text).stands_in(shown):
        return ()
    response.meta[RENDERED] = page.encode("utf-8", "replace")
    return (message("page.text_of_feed", url=feed),)


def _outcome_of(block: SoftBlock, message: Message) -> Outcome:
    return Outcome(True, Reason.REMOVED if block.kind is Kind.REMOVED else Reason.SOFT_BLOCK, message)
