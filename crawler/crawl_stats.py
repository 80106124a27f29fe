"""Count the result of every address and report it to the sink, in batches and in threads.

Download errors are explained: a reason to count by and a message to read.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.spidermiddlewares.httperror import HttpError

from crawler.capture import Capture
from crawler.ports import (
    AppearanceSink,
    Arrival,
    CrawlCounts,
    FrontierExchange,
    GonePagesSink,
    KnownPage,
    KnownPagesSink,
    LearningSink,
    PageChange,
    SessionSink,
    Sink,
    StoppableSink,
)
from crawler.site_access import Cookie
from crawler.skip_reasons import PAGE_LIMIT_REASON, SkipReason
from wenhen.kit.errors import Message, Unavailable, WenhenError, failure, message
from wenhen.kit.telemetry import CRAWLED_ADDRESSES


class RequestRefused(IgnoreRequest):
    """A rule of the crawl forbids the request."""

    def __init__(self, reason: SkipReason, message: Message) -> None:
        super().__init__(str(message))
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class SkipOutcome:
    """The outcome of an address without a capture."""

    refused: bool  # by a rule; otherwise the server failed
    reason: str
    message: Message


class RequestSkipped(IgnoreRequest):
    """An address was not requested, for example because no proxy works. The outcome tells the reason."""

    def __init__(self, outcome: SkipOutcome) -> None:
        super().__init__(str(outcome.message))
        self.outcome = outcome


MAX_ERROR_CHARACTERS = 200  # characters of a library's error message

# Scrapy raises one class for all of these, and another for the last. Only their text tells them apart.
IGNORE_MESSAGES = (
    ("max redirections reached", SkipReason.REDIRECTS, Message("fetch.redirects")),
    ("during decompression", SkipReason.TOO_LARGE, Message("fetch.decompressed")),
    ("HeadTooLong", SkipReason.TOO_LARGE, Message("fetch.headers")),  # of crawler.fetch.download_handler
)

ERROR_OUTCOMES: tuple[tuple[type[Exception], bool, SkipReason, Message], ...] = (
    (StopDownload, True, SkipReason.NOT_HTML, Message("fetch.not_html")),  # SiteSpider.stop_unwanted
    (DownloadCancelledError, True, SkipReason.TOO_LARGE, Message("fetch.over_limit")),  # DOWNLOAD_MAXSIZE
    (DownloadTimeoutError, False, SkipReason.TIMEOUT, Message("fetch.timeout")),
    (CannotResolveHostError, False, SkipReason.NAME, Message("fetch.no_name")),
    (DownloadConnectionRefusedError, False, SkipReason.CONNECTION, Message("fetch.connection_refused")),
    (DownloadFailedError, False, SkipReason.CONNECTION, Message("fetch.connection_broke")),
)


def explain_error(error: BaseException) -> SkipOutcome:
    """Return the outcome that an exception of a download stands for."""
    ignored = next((rule for rule in IGNORE_MESSAGES if rule[0] in str(error)), None)
    match error:
        case RequestRefused():
            return SkipOutcome(True, error.reason, error.message)
        case RequestSkipped():
            return error.outcome
        case HttpError():
            status = error.response.status
            return SkipOutcome(False, f"http_{status}", message("fetch.answered", status=status))
        case IgnoreRequest() | DownloadFailedError() if ignored is not None:
            return SkipOutcome(True, ignored[1], ignored[2])
    for kind, refused, reason, explanation in ERROR_OUTCOMES:
        if isinstance(error, kind):
            return SkipOutcome(refused, reason, explanation)
    return SkipOutcome(
        False, SkipReason.BROKEN, message("fetch.unreadable", error=failure(error, MAX_ERROR_CHARACTERS))
    )


# Batches of calls that arrive one by one. A batch takes what arrives within a moment, and during the batch before.
#
# A call to another thread costs a crawl as much as most of the work. A server answers many questions in nearly the time
# of one.


A = TypeVar("A")
R = TypeVar("R")
MAX_BATCH_ITEMS = 64  # items of a batch
BATCH_WAIT_SECONDS = 0.01  # seconds: the time of a few pages of a fast site


class Batcher(Generic[A, R]):
    """Runs one batch at a time, in a thread. Without `threads` the event loop's own are used. Call it on the loop's
    thread.

    `do` returns an answer or an error for each item. If it raises, each item is tried alone, and only items that fail
    again fail. `Unavailable` fails the whole batch. A batch waits `moment` seconds for more items.
    """

    def __init__(
        self,
        do: Callable[[Sequence[A]], Sequence[R | Exception]],
        threads: Executor | None = None,
        moment: float = BATCH_WAIT_SECONDS,
    ) -> None:
        self._do = do
        self._threads = threads
        self._moment = moment
        self._waiting: deque[tuple[A, asyncio.Future[R]]] = deque()
        self._work: asyncio.Future[None] | None = None

    async def __call__(self, item: A) -> R:
        """Return the answer of `do` for this item, or raise its error."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._work is None:
            self._work = asyncio.ensure_future(self._until_none_waits())
        return await future

    async def _until_none_waits(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._moment)
                await self._one_batch()
        finally:
            self._work = None

    async def _one_batch(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH_ITEMS, len(self._waiting)))]
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._threads, self._answers, [item for item, _ in batch])
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():  # its caller was cancelled
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _answers(self, batch: Sequence[A]) -> Sequence[R | Exception]:
        try:
            return self._do(batch)
        except Unavailable as error:
            return [error] * len(batch)
        except Exception as error:  # noqa: BLE001  raised at the caller
            if len(batch) == 1:
                return [error]
            return [answer for item in batch for answer in self._answers([item])]


# The appearance of a site's pages, compared between crawls: classes of its template, and languages.


MAX_TEMPLATE_CLASSES = 40  # classes of a template
MIN_TEMPLATE_SHARE = 0.5  # share of pages from which on a class belongs to the template
MAX_SAMPLED_PAGES = 1000  # pages: the first ones suffice


@dataclass(slots=True)
class SiteAppearance:
    """The appearance of the pages that one crawl fetched."""

    pages: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    _classes: Counter[str] = field(default_factory=Counter)

    def note(self, classes: Iterable[str], language: str | None) -> None:
        """Count a page."""
        if self.pages < MAX_SAMPLED_PAGES:
            self.pages += 1
            self.languages[language or ""] += 1
            self._classes.update(classes)

    def template(self) -> tuple[str, ...]:
        """Return the sorted classes that most of the pages have."""
        common = [
            name
            for name, times in self._classes.most_common(MAX_TEMPLATE_CLASSES)
            if times > MIN_TEMPLATE_SHARE * self.pages
        ]
        return tuple(sorted(common))


SINK_THREADS = 4  # threads that call the sink
STORE_BATCH_SECONDS = 0.03  # seconds: storing asks the database eight times, for one page or for many


class Ledger:
    """Counts results and reports them to the sink. All methods but `close` run on the reactor's thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._threads = ThreadPoolExecutor(SINK_THREADS, thread_name_prefix="sink")
        self._store = Batcher[Arrival, PageChange | None](sink.store_captures, self._threads, STORE_BATCH_SECONDS)
        if isinstance(sink, KnownPagesSink):
            self._remember = Batcher[str, KnownPage](sink.recall_pages, self._threads)
            self._note_unchanged = Batcher[tuple[str, Capture], bytes](sink.note_unchanged, self._threads)
        self._fetched = 0
        self._changes: Counter[PageChange] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._looks = SiteAppearance()
        self._exchange: FrontierExchange | None = None  # the latest, with the counts of all crawlers
        self.fatal: Exception | None = None  # an error of the sink that ends the crawl
        self.leaving = False  # the sink asks the crawl to stop

    @property
    def counts(self) -> CrawlCounts:
        """Return the counts of this crawler."""
        return CrawlCounts(self._fetched, dict(self._refused), dict(self._failed), dict(self._changes))

    @property
    def total(self) -> CrawlCounts:
        """Return the counts of all crawlers of the run, as far as they are known here."""
        if self._exchange is None:
            return self.counts
        return CrawlCounts.of(self._exchange.counts, waiting=self._exchange.waiting + self._exchange.in_hand)

    def note_exchange(self, exchange: FrontierExchange) -> None:
        """Store the latest state of the frontier."""
        self._exchange = exchange

    @property
    def remembers(self) -> bool:
        """Return whether the sink knows earlier captures."""
        return isinstance(self._sink, KnownPagesSink)

    async def recall_page(self, url: str) -> KnownPage:
        """Return what the sink knows of a page. If it fails, the page is fetched anew."""
        with suppress(WenhenError):
            return await self._remember(url)
        return KnownPage()

    async def store_capture(self, arrival: Arrival) -> None:
        """Hand a capture to the sink. Return when the sink stored it, or the failure is counted."""
        try:
            change = await self._store(arrival)
        except Exception as error:  # noqa: BLE001  one page must not stop the others
            self._not_stored(arrival.url, error)
        else:
            self.count_stored(change)

    async def store_unchanged(self, url: str, capture: Capture) -> bytes:
        """Report an unchanged page to the sink. Return its stored body, or nothing if the sink failed."""
        try:
            body = await self._note_unchanged((url, capture))
        except Exception as error:  # noqa: BLE001  the same
            self._not_stored(url, error)
            return b""
        self.count_stored(PageChange.UNCHANGED)
        return body

    def count_stored(self, change: PageChange | None) -> None:
        """Count a stored page. A page that gets no further because the crawl ends counts when the crawl is resumed."""
        if self.fatal is None:
            self._fetched += 1
            CRAWLED_ADDRESSES.labels("stored", change or "").inc()
            if change is not None:
                self._changes[change] += 1

    def count_rested(self) -> None:
        """Count a known page for which no request is due."""
        self._changes[PageChange.RESTED] += 1

    def look(self, classes: Iterable[str], language: str | None) -> None:
        """Add a fetched page to the appearance of the site."""
        self._looks.note(classes, language)

    def _not_stored(self, url: str, error: Exception) -> None:
        if isinstance(error, Unavailable):
            self.fatal = self.fatal or error
        else:
            self.report_missed(
                url, SkipOutcome(False, SkipReason.NOT_STORED, message("fetch.not_stored", reason=failure(error)))
            )

    def report_missed(self, url: str, outcome: SkipOutcome) -> None:
        """Count an address without a capture, and report the reason to the sink."""
        self.count_missed(outcome)
        call = self._threads.submit(self._sink.report_refused, url, outcome.message, str(outcome.reason))
        call.add_done_callback(self._note_error)

    def count_missed(self, outcome: SkipOutcome) -> None:
        """Count an address without a capture. Its reason was reported for another address already."""
        reason = str(outcome.reason)
        (self._refused if outcome.refused else self._failed)[reason] += 1
        CRAWLED_ADDRESSES.labels("refused" if outcome.refused else "failed", reason).inc()

    def count_left_out(self) -> None:
        """Count an address that was left out because of the page limit."""
        self._refused[PAGE_LIMIT_REASON] += 1
        CRAWLED_ADDRESSES.labels("refused", PAGE_LIMIT_REASON).inc()

    def report_gone(self, url: str, message: Message) -> None:
        """Report that the page at this address is gone. The count belongs to the address that was requested."""
        if isinstance(self._sink, GonePagesSink):
            self._threads.submit(self._sink.report_gone, url, message).add_done_callback(self._note_error)

    def needs_browser(self, url: str) -> None:
        """Report that the page at this address shows its text only in a browser."""
        if isinstance(self._sink, LearningSink):
            self._threads.submit(self._sink.needs_browser, url).add_done_callback(self._note_error)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """Hand over the latest cookies of the site."""
        if isinstance(self._sink, SessionSink):
            self._threads.submit(self._sink.session, cookies).add_done_callback(self._note_error)

    def report(self) -> None:
        """Report the counts, and ask whether to continue."""
        self._threads.submit(self._report).add_done_callback(self._note_error)

    def _report(self) -> None:
        self._sink.progress(self.total)
        if isinstance(self._sink, StoppableSink) and self._sink.should_leave_off():
            self.leaving = True

    def _note_error(self, call: "Future[None]") -> None:
        error = call.exception()
        if isinstance(error, Exception):
            self.fatal = self.fatal or error

    def close(self) -> CrawlCounts:
        """Wait for pending calls, report the final counts and return them. Raise the error that ended the crawl."""
        self._threads.shutdown(wait=True)
        if self.fatal is not None:
            raise self.fatal
        counts = self.total
        if isinstance(self._sink, AppearanceSink) and self._looks.pages:
            self._sink.looks(self._looks.template(), self._looks.languages)
        self._sink.progress(counts)
        return counts
