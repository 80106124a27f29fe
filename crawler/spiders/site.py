"""The one spider: every page of a site, by its links."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, StopDownload
from scrapy.http import Headers, Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from crawler.crawl.addresses import canonical, leads_on
from crawler.crawl.frontier import Frontier, Taken
from crawler.crawl.job import CrawlJob
from crawler.crawl.ledger import Ledger
from crawler.crawl.pace import Pace
from crawler.crawl.reasons import Outcome, Reason, explain
from crawler.crawl.rests import HostRests
from crawler.crawl.sink import Arrival
from crawler.evidence.capture import capture, is_html, may_be_html, media_type, rendered_page
from crawler.evidence.warc import WarcArchive
from crawler.extract.chapters import in_reading_order
from crawler.extract.reading import ReadPage, all_text, canonical_link, links_of, readable, shown
from crawler.fetch.recrawl import FOUND, NOT_MODIFIED, STORED
from crawler.frontier.memory import MemoryFrontier
from crawler.frontier.scheduler import leave_off, scheduler_of
from crawler.spiders.listings import LISTING_TYPES, listing
from crawler.spiders.soft_blocks import STATUSES, Kind, SoftBlock, soft_block
from crawler.spiders.traps import TrapGuard
from crawler.spiders.vanished import sent_home, vanished

SHORT_BODY = 1 << 20  # bytes
MOST_TOLD = 100_000  # addresses
REPORT_EVERY = 1.0  # seconds


class SiteSpider(Spider):
    """Captures the pages of one job and follows the links among its hosts."""

    name = "site"

    def __init__(
        self,
        job: CrawlJob,
        ledger: Ledger,
        archive: WarcArchive | None = None,
        frontier: Frontier | None = None,
        pace: Pace | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.ledger = ledger
        self.archive = archive
        self.frontier = frontier or MemoryFrontier(job.max_pages)
        self.pace = pace
        self.rests = HostRests()
        self.started = False  # the start addresses were all handed over
        self._traps = TrapGuard()
        self._told: set[str] = set()  # what the frontier was told lately: a site's menu stands on all its pages
        self._report: LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "SiteSpider":
        """Scrapy's constructor."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.look_at_headers, signals.headers_received)
        crawler.signals.connect(spider.begin_reports, signals.spider_opened)
        crawler.signals.connect(spider.end_reports, signals.spider_closed)
        return spider

    def begin_reports(self) -> None:
        """Tell the counts from now on."""
        self._report = LoopingCall(self._tell)  # wants the reactor, which is there only now
        self._report.start(REPORT_EVERY)

    def _tell(self) -> None:
        self.ledger.report()
        if self.ledger.leaving:
            self.end_reports()
            leave_off(self.crawler)

    def end_reports(self) -> None:
        """Stop telling them."""
        if self._report is not None and self._report.running:
            self._report.stop()

    def look_at_headers(self, headers: Headers, body_length: object, request: Request) -> None:
        """Do not download what cannot be a page; short bodies may come, so that a missing picture counts as missing."""
        short = isinstance(body_length, int) and body_length < SHORT_BODY
        wanted = may_be_html(headers) or (request.callback == self.begin and media_type(headers) in LISTING_TYPES)
        if request.callback in (self.parse, self.begin) and not short and not wanted:
            raise StopDownload(fail=True)

    async def start(self) -> AsyncIterator[Request]:
        """The start addresses, each once."""
        for url in dict.fromkeys(canonical(url) for url in self.job.start_urls):
            yield self._request(url, hops=0, callback=self.begin)
        self.started = True

    def rest(self) -> Iterator[Request]:
        """What is asked for when all else was: known pages that nothing leads to any more."""
        for url in filter(self.job.wants, self.job.seeds):
            yield self._request(url, hops=self.job.max_depth)

    async def begin(self, response: Response) -> AsyncIterator[Request]:
        """Take up a start address: a page, or a list, whose addresses are start addresses as well."""
        found = listing(response.body, response.url, self.job.max_body_bytes)
        if found is None:
            async for request in self.parse(response):
                yield request
            return
        pages = [self._request(url, hops=0) for url in map(canonical, found.pages) if self._is_new(url)]
        lists = [
            self._request(url, hops=0, callback=self.begin) for url in map(canonical, found.lists) if self._is_new(url)
        ]
        if not pages and not lists:
            told = "a list without an address that is new and on a host of this site"
            self.ledger.missed(canonical(response.url), Outcome(True, Reason.EMPTY_LIST, told))
        for request in (*pages, *lists):
            yield request

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        """Capture a page and follow its links."""
        assert response.request is not None
        url = canonical(response.url)
        if response.status == NOT_MODIFIED:
            again = self._stored if STORED in response.flags else self._again
            async for request in again(url, response):
                yield request
            return
        if not is_html(response):
            self.ledger.missed(url, Outcome(True, Reason.NOT_HTML, "not an HTML page"))
            return
        page = shown(response)
        if block := soft_block(page.text):
            self._miss(response.request, _outcome_of(block, str(block)))
            return
        for origin in sent_home(response.request):
            self.ledger.gone(origin, f"sends its visitors to the front page, {url}")
        if not await self._take(url, response):
            return
        await self.ledger.captured(Arrival(url, capture(response), response.body, rendered_page(response)))
        for request in self._go_on(page, response.meta["hops"]):
            yield request

    async def _again(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Note a page that is as it was captured before, and follow the links of then."""
        if not await self._take(url, response):
            return
        body = await self.ledger.unchanged(url, capture(response))
        for request in self._go_on(readable(response.replace(body=body)), response.meta["hops"]):
            yield request

    async def _stored(self, url: str, response: Response) -> AsyncIterator[Request]:
        """Follow the links of a page that need not be asked for."""
        assert response.request is not None
        if await self._take(url, response):
            if response.meta[FOUND] and scheduler_of(self.crawler).was_left(response.request):
                self.ledger.stored(response.meta[FOUND])  # by a crawler that could not tell so any more
            for request in self._go_on(readable(response), response.meta["hops"]):
                yield request

    async def _take(self, url: str, response: Response) -> bool:
        """Whether the page is captured now; not where another address led to it before, or where there are enough."""
        assert response.request is not None
        taken = await scheduler_of(self.crawler).take(url, response.request)
        if taken is Taken.FULL:
            self.ledger.left_out()
        return taken is Taken.OURS

    def _go_on(self, page: ReadPage, hops: int) -> Iterator[Request]:
        if self.ledger.fatal is not None:
            raise CloseSpider("sink")
        return self._follow(page, hops) if self.job.follow else iter(())

    def missed(self, failure: Failure) -> None:
        """Count an address that gave no page."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        self._miss(request, _blocked(failure.value) or explain(failure.value))
        if self.ledger.fatal is not None:
            raise CloseSpider("sink")
        scheduler_of(self.crawler).done(request)

    def _miss(self, request: Request, outcome: Outcome) -> None:
        if outcome.reason == Reason.TRAP and not self._traps.is_first(canonical(request.url)):
            return
        self.ledger.missed(canonical(request.url), outcome)
        for url in vanished(request, outcome):
            self.ledger.gone(url, outcome.message)

    def _follow(self, page: ReadPage, hops: int) -> Iterator[Request]:
        url = canonical(page.url)
        self._traps.saw(url, all_text(page))
        own = canonical(canonical_link(page) or url)
        if own != url and self._is_new(own):
            yield self._request(own, hops=hops)
        for target, words in in_reading_order(list(links_of(page))):
            further = hops if leads_on(words) else hops + 1
            if target in self._told or further > self.job.max_depth or not self._is_new(target):
                continue
            if len(self._told) >= MOST_TOLD:
                self._told.clear()
            self._told.add(target)
            yield self._request(target, hops=further)

    def shuts_out(self, request: Request) -> bool:
        """Whether the address of a page, found earlier, turned out to be one of a trap."""
        return request.callback == self.parse and self._traps.shuts_out(canonical(request.url))

    def forget(self) -> None:
        """The frontier knows nothing any more of what it was told."""
        self._told.clear()

    def _is_new(self, url: str) -> bool:
        """Whether an address belongs to the job and is no trap; whether it was seen before the frontier knows."""
        url = self.job.home(url)
        if not self.job.wants(url):
            return False
        objection = self._traps.objection(url)
        if objection and self._traps.is_first(url):
            self.ledger.missed(url, Outcome(True, Reason.TRAP, f"taken for a trap: {objection}"))
        return not objection

    def _request(self, url: str, *, hops: int, callback: Any = None) -> Request:
        return Request(self.job.home(url), callback=callback or self.parse, errback=self.missed, meta={"hops": hops})


def _blocked(error: BaseException) -> Outcome | None:
    """What a failed answer says of itself, when it is a soft block."""
    if not isinstance(error, HttpError) or error.response.status not in STATUSES or not is_html(error.response):
        return None
    block = soft_block(readable(error.response).text)
    return _outcome_of(block, f"{block} (status {error.response.status})") if block else None


def _outcome_of(block: SoftBlock, message: str) -> Outcome:
    return Outcome(True, Reason.REMOVED if block.kind is Kind.REMOVED else Reason.SOFT_BLOCK, message)
