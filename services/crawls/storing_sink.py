"""Where a crawl of the product delivers: the store, and the queue of what follows."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.crawl.address_counts import CrawlCounts, Found
from crawler.crawl.canonical_addresses import any_scheme
from crawler.crawl.sink_port import Arrival, Remembered
from crawler.crawl.validators import Validators, freshened, validators
from pipeline.pages.learning_mirrors import learn_mirrors
from pipeline.pages.page_expiry import welcome_back
from pipeline.pages.vanished_and_returned import note_gone, welcome_returned
from services.context import Product
from services.crawls.http_or_https import Schemes
from services.crawls.opened_access import keep_cookies, opened_access
from store.errors import Unavailable
from store.messages import Message, message
from store.metrics import CAPTURED_BYTES
from store.records import Capture, Cookie, Owner, OwnerKind, Page, Step
from store.records.upkeep.problem import CRAWL
from store.rules.record_ids import page_id
from store.trace_spans import span

TOGETHER = 50  # pages in one message
EARLY = 0.1  # of the time between two looks


class StoringSink:
    """Stores what a crawl brings, queues its next step, and keeps the run's record alive."""

    def __init__(
        self,
        product: Product,
        run_id: str,
        site_id: str,
        interval_hours: float = 24.0,
        *,
        since: datetime | None = None,
        always: Collection[str] | None = None,
        cookies: Sequence[Cookie] = (),
    ) -> None:
        """What was captured `since` then is not asked for again. With `always`, canonical addresses, pages that are not
        among them are asked for only when their next look is due. `cookies` are those that the crawl began with.
        """
        self._app = product
        self._run_id = run_id
        self._site_id = site_id
        self._interval_hours = interval_hours
        self._since = since
        self._always = None if always is None else frozenset(map(any_scheme, always))
        self._cookies = tuple(cookies)
        self._schemes = Schemes(product)
        self._to_send: deque[str] = deque()  # pages whose next step is not queued yet

    def captured(self, arrivals: Sequence[Arrival]) -> list[Found]:
        """The bodies first, then the pages that name them, then the message."""
        each = [content for one in arrivals for content in (one.body, one.rendered, one.assets)]
        contents = [content for content in each if content is not None]
        digests = self._app.store.blobs.put_all(contents)
        CAPTURED_BYTES.inc(sum(map(len, contents)))
        assert {one.capture.body_digest for one in arrivals} <= set(digests)
        with spans_of(arrivals):
            found = self._put([(one.url, one.capture) for one in arrivals])
        if led := {self._schemes.kept_as(one.url): one.led_here for one in arrivals if one.led_here}:
            self._app.store.discoveries.note_leads_to(led)
        return found

    def _put(self, arrived: Sequence[tuple[str, Capture]]) -> list[Found]:
        captures = [(self._schemes.kept_as(url), capture) for url, capture in arrived]
        pages = self._app.store.pages.put_captures(captures, site_id=self._site_id, interval_hours=self._interval_hours)
        for page in pages:
            welcome_back(self._app, page)
            welcome_returned(self._app, page)
            if double := self._schemes.double_of(page.url):
                note_gone(self._app, double, message("fetch.moved", url=page.url))
        self._app.store.problems.clear_all(CRAWL, {url for url, _ in arrived} | {page.url for page in pages})
        learn_mirrors(self._app, [page for page in pages if page.captures == 1])
        self._to_send.extend(page.id for page in pages if page.progress.step is Step.EXTRACT)
        while len(self._to_send) >= TOGETHER:
            self._send()
        return [_found(page) for page in pages]

    def remembered(self, urls: Sequence[str]) -> list[Remembered]:
        """By the headers of the newest captures; what a server says of a page that is rendered, it says of its shell.
        The bodies of those that were captured in this run, before it was taken up again, or that are not due.
        """
        pages = self._schemes.pages(urls)
        needless = [page for page in pages if page and (self._captured_lately(page) or self._rests(page))]
        digests = {page.id: page.capture.read_digest for page in needless}
        contents = self._app.store.blobs.get_all(digests.values())
        bodies = {id: contents[digest] for id, digest in digests.items()}
        return [self._known(page, bodies.get(page.id) if page else None) for page in pages]

    def _known(self, page: Page | None, body: bytes | None) -> Remembered:
        if page is None:
            return Remembered()
        if body is not None:
            return Remembered(body=body, found=self._found_lately(page))
        return Remembered(validators=_validators(page.capture), last=page.capture)

    def _captured_lately(self, page: Page) -> bool:
        return self._since is not None and page.capture.fetched_at >= self._since

    def _found_lately(self, page: Page) -> Found | None:
        if not self._captured_lately(page):
            return None
        last, *before = self._app.store.pages.captures(page.id, limit=2)
        if not before:
            return Found.NEW
        return Found.UNCHANGED if last.body_digest == before[0].body_digest else Found.CHANGED

    def _rests(self, page: Page) -> bool:
        if (
            self._always is None
            or any_scheme(page.url) in self._always
            or page.gone_at is not None
            or page.look_at is None
        ):
            return False
        # What is nearly due is looked at now: the next crawl of a site comes as long after this one.
        return page.look_at - timedelta(hours=page.interval_hours * EARLY) > self._app.now()

    def unchanged(self, answers: Sequence[tuple[str, Capture]]) -> list[bytes]:
        """Captures of their own, with the bodies of those before."""
        ids = [page_id(self._schemes.kept_as(url)) for url, _ in answers]
        pages = self._app.store.pages.many(ids)
        last = [(pages.get(id) or self._app.store.pages.get(id)).capture for id in ids]
        bodies = self._app.store.blobs.get_all([one.body_digest for one in last])
        self._put([(url, _same(one, answer)) for (url, answer), one in zip(answers, last, strict=True)])
        return [bodies[one.body_digest] for one in last]

    def session(self, cookies: Sequence[Cookie]) -> None:
        """The next crawl goes on with it, unless somebody brought another meanwhile, ended it, or removed the site."""
        if opened_access(self._app, self._site_id).cookies != self._cookies:
            return
        keep_cookies(self._app, self._site_id, cookies)

    def gone(self, url: str, reason: Message) -> None:
        """Its server says that the page is no longer there."""
        note_gone(self._app, self._schemes.kept_as(url), reason)

    def refused(self, url: str, reason: Message, kind: str) -> None:
        """Note why an address gave nothing."""
        self._app.store.problems.put(CRAWL, url, reason, self._app.now(), kind=kind, run=self._run_id)

    def _send(self) -> None:
        """Queue the next step of what was captured, in one message; the sweep sends what a killed crawl did not."""
        ids: list[str] = []
        with suppress(IndexError):  # another thread may send as well
            while len(ids) < TOGETHER:
                ids.append(self._to_send.popleft())
        self._app.enqueue(OwnerKind.PAGE, ids, Step.EXTRACT)

    def progress(self, counts: CrawlCounts) -> None:
        """The run is alive; a server that is away for a moment does not end it."""
        self._send()
        with suppress(Unavailable):
            self._app.store.runs.beat(self._run_id, self._app.now(), counts.as_mapping())

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Kept with the run, to compare the next one with."""
        self._app.store.runs.set_looks(self._run_id, template, languages)


@contextmanager
def spans_of(arrivals: Sequence[Arrival]) -> Iterator[None]:
    """For the block, these pages are captured."""
    with ExitStack() as spans:
        for one in arrivals:
            spans.enter_context(span("page.capture", str(Owner.of_page(page_id(one.url)))))
        yield


def _found(page: Page) -> Found:
    if page.progress.step is not Step.EXTRACT:
        return Found.UNCHANGED
    return Found.NEW if page.captures == 1 else Found.CHANGED


def _validators(capture: Capture) -> Validators | None:
    return None if capture.rendered_digest else validators(capture.headers)


def _same(last: Capture, answer: Capture) -> Capture:
    """What the server said now, of the body that it sent before."""
    return replace(
        answer,
        headers=freshened(last.headers, answer.headers),
        body_digest=last.body_digest,
        body_size=last.body_size,
        assets_digest=last.assets_digest,
        warc=last.warc,
        problems=last.problems,
    )
