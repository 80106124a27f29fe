"""Run a spider of the user's own (module:Class) within the bounds of a crawl. Its items become captures."""

import json
import sys
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from importlib import import_module
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.utils.misc import arg_to_iter
from twisted.python.failure import Failure

from crawler.addresses import canonical_url, host_of
from crawler.context import META_HOPS, context_of
from crawler.crawl_stats import MAX_ERROR_CHARACTERS, Ledger, RequestRefused, SkipOutcome, explain_error
from crawler.fetch.redirects import gone_urls, redirect_chain, report_moved
from crawler.frontier.scheduler import FrontierSpider, scheduler_of
from crawler.job import CrawlJob
from crawler.ports import Arrival, PageClaim
from crawler.skip_reasons import SkipReason
from crawler.spiders.link_policy import MAX_ADDRESS_CHARACTERS
from crawler.spiders.sitemaps_and_feeds import make_article, paragraphs
from crawler.warc.responses import make_capture, rendered_body
from wenhen.kit.errors import SetupError, Unavailable, failure, message

META_OWN: Final = "own"  # what the spider's own request had: names of its callback, its arguments and its meta
MAX_QUOTED_CHARACTERS: Final = 80  # of a wrong value in a refusal


def load_spider(name: str, folder: Path | None) -> type[Spider]:
    """Import the class that `module:Class` names. Raises `SetupError`.

    folder: searched after the installed packages.
    """
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # foreign code may raise anything
        raise _broken_spider(name, error) from error
    if not (isinstance(found, type) and issubclass(found, Spider)):
        raise SetupError("crawls.no_spider", spider=name)
    return found


def _broken_spider(name: str, error: BaseException) -> SetupError:
    return SetupError("crawls.spider_broken", spider=name, reason=failure(error, MAX_ERROR_CHARACTERS))


@dataclass(frozen=True, slots=True)
class SpiderItem:
    """What a spider says of a page. page: made of its text or body, None if the answer itself is the page."""

    url: str
    page: bytes | None


def read_item(output: object, shown: Response, job: CrawlJob) -> SpiderItem:
    """Check an item {url, title, text or body} of a spider. Raises `RequestRefused` with the reason.

    shown: the answer that the spider saw.
    """
    item = _fields_of(output)
    address = item.get("url")
    url = canonical_url(urljoin(shown.url, address)) if isinstance(address, str) and address.strip() else ""
    if not url or host_of(url) is None or len(url) > MAX_ADDRESS_CHARACTERS:
        quoted = repr(address)[:MAX_QUOTED_CHARACTERS]
        raise RequestRefused(SkipReason.ITEM_WITHOUT_URL, message("fetch.item_without_url", given=quoted))
    if not job.admits(url):
        raise RequestRefused(SkipReason.OTHER_HOST, message("fetch.other_host", url=url))
    if url != canonical_url(shown.url) and not job.wants(url):
        raise RequestRefused(SkipReason.NOT_WANTED, message("fetch.item_not_wanted", url=url))
    page = _page_of(item, shown)
    if page is not None and len(page) > job.max_body_bytes:
        raise RequestRefused(SkipReason.TOO_LARGE, message("fetch.over_limit"))
    return SpiderItem(url, page)


def _fields_of(output: object) -> Mapping[str, Any]:
    if isinstance(output, Mapping):  # Scrapy's items are mappings too
        return output
    if is_dataclass(output) and not isinstance(output, type):
        return {field.name: getattr(output, field.name) for field in fields(output)}
    raise RequestRefused(SkipReason.SPIDER_OUTPUT, message("fetch.spider_output", kind=type(output).__name__))


def _page_of(item: Mapping[str, Any], shown: Response) -> bytes | None:
    text, body, title = item.get("text"), item.get("body"), item.get("title")
    if isinstance(text, str) and text.strip():
        return make_article(title.strip() if isinstance(title, str) else "", paragraphs(text)).encode(
            "utf-8", "replace"
        )
    if not isinstance(body, str | bytes) or not body.strip():
        raise RequestRefused(SkipReason.ITEM_WITHOUT_TEXT, message("fetch.item_without_text"))
    if body == shown.body or (isinstance(shown, TextResponse) and body == shown.text):
        return None
    if isinstance(body, bytes):
        body = TextResponse(shown.url, body=body).text
    return body.encode("utf-8", "replace")


class OwnSpider(FrontierSpider):
    """Drives a spider of the user's own: its requests go through the frontier, and its items are captured.

    Its settings, its `allowed_domains` and its errbacks count for nothing: the job bounds the crawl.
    """

    name = "own"

    def __init__(self, job: CrawlJob, ledger: Ledger, own: Spider) -> None:
        super().__init__()
        self._job = job
        self._ledger = ledger
        self._own = own

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "OwnSpider":
        """Scrapy's constructor. Raises `SetupError` for a spider that cannot be imported or made."""
        context = context_of(crawler)
        named = context.job.spider or ""
        own_class = load_spider(named, context.job.spider_dir)
        try:
            own = own_class.from_crawler(crawler)
        except (Exception, SystemExit) as error:  # foreign code may raise anything
            raise _broken_spider(named, error) from error
        own.start_urls = list(context.job.start_urls)
        return super().from_crawler(crawler, context.job, context.ledger, own, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests of the spider."""
        url = canonical_url(self._job.start_urls[0])
        try:
            async for output in self._own.start():
                if isinstance(output, Request):
                    if request := self._bounded_request(output, url, 0):
                        yield request
                else:  # no answer proves it
                    self._report_output(url, output)
        except CloseSpider:
            self.logger.debug("closed by the spider itself")
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            self._report_failure(url, "start", error)
        self.started = True

    async def answer(self, response: Response) -> AsyncIterator[Request]:
        """Hand an answer to the method of the spider that waits for it."""
        assert response.request is not None
        report_moved(self._ledger, response.request, canonical_url(response.url))
        asked = response.meta[META_OWN]
        shown, stored = _shown_response(response), set[str]()
        try:
            async for output in _outputs(getattr(self._own, asked["callback"])(shown, **asked["arguments"])):
                if isinstance(output, Request):
                    if request := self._bounded_request(output, response.url, response.meta[META_HOPS] + 1):
                        yield request
                elif output is not None and await self._take_item(output, response, shown, stored) is PageClaim.FULL:
                    break
        except (CloseSpider, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            self._report_failure(response.url, asked["callback"], error)
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")

    async def missed(self, failure: Failure) -> None:
        """Count an address without an answer."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if self._ledger.fatal is not None:
            raise CloseSpider("sink")
        outcome = explain_error(failure.value)
        self._ledger.report_missed(canonical_url(request.url), outcome)
        for url in gone_urls(request, outcome):
            self._ledger.report_gone(url, outcome.message)

    def closed(self, reason: str) -> None:
        """Tell the spider that the crawl is over."""
        closed = getattr(self._own, "closed", None)
        if callable(closed):
            closed(reason)

    async def _take_item(self, output: object, response: Response, shown: Response, stored: set[str]) -> PageClaim:
        """Store an item as a capture of its page, with the answer that it was read from as evidence."""
        try:
            item = read_item(output, shown, self._job)
        except RequestRefused as refused:
            url = str(refused.message.figures.get("url", canonical_url(response.url)))
            self._ledger.report_missed(url, SkipOutcome(True, refused.reason, refused.message))
            return PageClaim.BEFORE
        if item.url in stored:
            why = message("fetch.item_twice", url=item.url)
            self._ledger.count_missed(SkipOutcome(True, SkipReason.SPIDER_OUTPUT, why))
            return PageClaim.BEFORE
        assert response.request is not None
        stored.add(item.url)
        claim = await scheduler_of(self.crawler).take(item.url, response.request)
        if claim is PageClaim.FULL:
            self._ledger.count_left_out()
        elif claim is PageClaim.OURS:
            await self._ledger.store_capture(self._arrival(item, response))
        return claim

    def _arrival(self, item: SpiderItem, response: Response) -> Arrival:
        capture = make_capture(response)
        if item.page is not None:
            note = message("page.text_of_spider", spider=self._job.spider or "")
            digest = sha256(item.page).hexdigest()
            capture = replace(capture, rendered_digest=digest, problems=(*capture.problems, note))
        led_here = redirect_chain(response) if item.url == canonical_url(response.url) else ()
        return Arrival(item.url, capture, response.body, item.page or rendered_body(response), led_here=led_here)

    def _bounded_request(self, asked: Request, origin: str, hops: int) -> Request | None:
        """Return the request that the frontier stores, or None if it is out of bounds. The reason is counted."""
        url = self._job.home(canonical_url(asked.url))
        if not self._job.admits(url):  # as in menus and footers: too many to be told one by one
            self._ledger.count_missed(SkipOutcome(True, SkipReason.OTHER_HOST, message("fetch.other_host", url=url)))
            return None
        if hops and not self._job.wants(url):
            self._ledger.count_missed(
                SkipOutcome(True, SkipReason.NOT_WANTED, message("fetch.item_not_wanted", url=url))
            )
            return None
        if hops > self._job.max_depth:
            why = message("fetch.too_deep", most=self._job.max_depth)
            self._ledger.report_missed(url, SkipOutcome(True, SkipReason.TOO_DEEP, why))
            return None
        callback = asked.callback or self._own.parse
        own = {"callback": getattr(callback, "__name__", ""), "arguments": asked.cb_kwargs, "meta": asked.meta}
        is_method = getattr(callback, "__self__", None) is self._own
        if asked.method != "GET" or asked.body or not is_method or not _is_json(own):
            self._report_output(origin, asked)
            return None
        return Request(url, callback=self.answer, errback=self.missed, meta={META_HOPS: hops, META_OWN: own})

    def _report_output(self, url: str, output: object) -> None:
        if isinstance(output, Request):
            why = message("fetch.spider_request", url=output.url)
        else:
            why = message("fetch.spider_output", kind=type(output).__name__)
        self._ledger.report_missed(canonical_url(url), SkipOutcome(True, SkipReason.SPIDER_OUTPUT, why))

    def _report_failure(self, url: str, method: str, error: Exception) -> None:
        why = message("fetch.spider_failed", method=method, error=failure(error, MAX_ERROR_CHARACTERS))
        self._ledger.report_missed(canonical_url(url), SkipOutcome(False, SkipReason.SPIDER_FAILED, why))


async def _outputs(given: Any) -> AsyncIterator[Any]:
    """Yield what a callback gives: a generator of either kind, a coroutine, an iterable, one object or None."""
    if isinstance(given, AsyncIterable):
        async for output in given:
            yield output
        return
    for output in arg_to_iter(await given if isawaitable(given) else given):
        yield output


def _shown_response(response: Response) -> Response:
    """Return the answer as the spider sees it: with its own meta, and as a browser rendered it if one did."""
    assert response.request is not None
    asked = response.meta[META_OWN]
    request = Request(response.request.url, meta=dict(asked["meta"]), cb_kwargs=dict(asked["arguments"]))
    rendered = rendered_body(response)
    if rendered is None or not isinstance(response, TextResponse):
        return response.replace(request=request)
    return response.replace(request=request, body=rendered, encoding="utf-8")


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
