"""Store what a crawl fetches, queue the next step, and end the turn of a crawler.

A page is recognized under several URLs: HTTP and HTTPS, and mirror hosts.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.addresses import canonical_url, other_scheme_url, scheme_neutral_url
from crawler.capture import Capture, Validators, read_validators, refresh_headers
from crawler.job import CrawlJob
from crawler.ports import Arrival, CrawlCounts, KnownPage, PageChange
from crawler.site_access import Access, Cookie
from wenhen.context.use_cases import Context, Product
from wenhen.crawls.job import make_crawl_job
from wenhen.crawls.model import Redirect, Run, RunState
from wenhen.crawls.service import WORKING_STATES
from wenhen.kit.errors import Message, NotFound, Unavailable, message
from wenhen.kit.progress import Owner, OwnerKind, Step, SubjectKind, page_id
from wenhen.kit.telemetry import CAPTURED_BYTES, trace_span
from wenhen.pages.model import Page
from wenhen.pages.service import mark_page_gone, restore_expired_page, restore_returned_page
from wenhen.sites.access import note_needs_browser, open_access, store_cookies
from wenhen.sites.model import MIRROR_SAMPLE_PAGES, Site, count_equal_pages, is_same_path, url_at_host_of
from wenhen.sites.schedule import current_quiet_end
from wenhen.steps.problems import CRAWL


class SchemeAliases:
    """Cache which scheme the pages of a crawl are stored under.

    If an earlier version stored a page under both schemes, the HTTPS page is used.
    """

    def __init__(self, product: Product) -> None:
        self._pages = product.store.pages
        self._kept: dict[str, str] = {}  # requested URL -> URL of the stored page, if they differ
        self._doubles: dict[str, str] = {}  # URL of the stored page -> URL of its duplicate

    def pages(self, urls: Sequence[str]) -> list[Page | None]:
        """Return the pages of canonical URLs in the same order, and remember under which URL each is stored."""
        ids = {url: page_id(url) for given in urls for url in (given, other_scheme_url(given)) if url}
        pages = self._pages.many(list(ids.values()))
        return [self._learn(url, {alias: pages[id] for alias, id in ids.items() if id in pages}) for url in urls]

    def kept_as(self, url: str) -> str:
        """Return the URL under which the page is stored."""
        return self._kept.get(url, url)

    def double_of(self, url: str) -> str | None:
        """Return the URL of the duplicate of a page, if there is one."""
        return self._doubles.get(url)

    def _learn(self, url: str, known: Mapping[str, Page]) -> Page | None:
        other = other_scheme_url(url)
        if other is None or other not in known:
            return known.get(url)
        if url not in known:
            self._kept[url] = other
            return known[other]
        by_https = scheme_neutral_url(url)
        by_http = other if by_https == url else url
        self._kept[by_http], self._doubles[by_https] = by_https, by_http
        return known[by_https]


# Mirror hosts are learned from equal pages of crawls, unless users declare them.


MAX_TWIN_PAGES = 10  # pages with the same body that are compared


def learn_mirrors(context: Context, pages: Sequence[Page]) -> None:
    """Compare the hosts of new pages with hosts that have the same body at the same path."""
    first = context.store.pages.first_with_body({page.capture.body_digest for page in pages}) if pages else {}
    for page in pages:
        if first.get(page.capture.body_digest, page.id) != page.id:
            _learn_mirror(context, page)


def _learn_mirror(context: Context, page: Page) -> None:
    mains = context.store.mirrors.mains()
    own = mains.get(page.host, page.host)
    for twin in context.store.pages.same_body(page.capture.body_digest, MAX_TWIN_PAGES):
        if mains.get(twin.host, twin.host) == own or not is_same_path(page.url, twin.url):
            continue
        if equal := _count_shared_pages(context, page, twin):
            context.store.mirrors.join(page.host, twin.host, pages=equal, moment=context.now())
            return


def _count_shared_pages(context: Context, page: Page, twin: Page) -> int:
    pages = context.store.pages.of_host(page.host, MIRROR_SAMPLE_PAGES)
    twin_ids = {page.id: page_id(url_at_host_of(page.url, twin.url)) for page in pages}
    others = context.store.pages.many(list(twin_ids.values()))
    pairs = [
        (page.capture.body_digest, others[twin_ids[page.id]].capture.body_digest)
        for page in pages
        if twin_ids[page.id] in others
    ]
    return count_equal_pages(pairs)


# The sink of the product writes to the store and to the job queue.


QUEUE_BATCH_PAGES = 50  # pages per message
EARLY_LOOK_SHARE = 0.1  # share of the recrawl interval


class StoringSink:
    """Store what a crawl fetches, queue its next step, and send the heartbeats of the run."""

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
        addresses: Collection[str] = (),
    ) -> None:
        """Create a sink.

        since: pages captured at or after this time are not requested again.
        always: canonical URLs. Other pages are requested only when their recrawl is due. None: request all pages.
        cookies: the cookies with which the crawl began.
        addresses: canonical URLs that a user asked for. The run keeps to which pages they were redirected.
        """
        self._app = product
        self._run_id = run_id
        self._site_id = site_id
        self._interval_hours = interval_hours
        self._since = since
        self._always = None if always is None else frozenset(map(scheme_neutral_url, always))
        self._cookies = tuple(cookies)
        self._addresses = frozenset(addresses)
        self._schemes = SchemeAliases(product)
        self._to_send: deque[str] = deque()  # pages whose next step is not queued yet

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[PageChange]:
        """Store the bodies first, then the pages that refer to them, then queue the next step."""
        each = [content for arrival in arrivals for content in (arrival.body, arrival.rendered, arrival.assets)]
        contents = [content for content in each if content is not None]
        digests = self._app.store.blobs.put_all(contents)
        CAPTURED_BYTES.inc(sum(map(len, contents)))
        assert {arrival.capture.body_digest for arrival in arrivals} <= set(digests)
        with capture_spans(arrivals):
            pages = self._put([(arrival.url, arrival.capture) for arrival in arrivals])
        if led := {self._schemes.kept_as(arrival.url): arrival.led_here for arrival in arrivals if arrival.led_here}:
            self._app.store.discoveries.note_leads_to(led)
            if redirects := [
                Redirect(url=url, page_url=page_url)
                for page_url, urls in led.items()
                for url in self._addresses.intersection(map(canonical_url, urls))
            ]:
                self._app.store.runs.note_redirects(self._run_id, redirects)
        return pages

    def _put(self, arrived: Sequence[tuple[str, Capture]]) -> list[PageChange]:
        captures = [(self._schemes.kept_as(url), capture) for url, capture in arrived]
        pages = self._app.store.pages.put_captures(captures, site_id=self._site_id, interval_hours=self._interval_hours)
        for page in pages:
            restore_expired_page(self._app, page)
            restore_returned_page(self._app, page)
            if double := self._schemes.double_of(page.url):
                mark_page_gone(self._app, double, message("fetch.moved", url=page.url))
        self._app.store.problems.clear_all(CRAWL, {url for url, _ in arrived} | {page.url for page in pages})
        learn_mirrors(self._app, [page for page in pages if page.captures == 1])
        self._to_send.extend(page.id for page in pages if page.progress.step is Step.EXTRACT)
        while len(self._to_send) >= QUEUE_BATCH_PAGES:
            self._send()
        return [_page_change(page) for page in pages]

    def recall_pages(self, urls: Sequence[str]) -> list[KnownPage]:
        """Return the known pages by URL, with validators from the newest captures.

        A rendered page has no validators, because its server only describes the unrendered shell. Pages captured in
        this run before it was resumed, and pages that are not due, are returned with their bodies.
        """
        pages = self._schemes.pages(urls)
        needless = [page for page in pages if page and (self._captured_lately(page) or self._rests(page))]
        digests = {page.id: page.capture.read_digest for page in needless}
        contents = self._app.store.blobs.get_all(digests.values())
        bodies = {id: contents[digest] for id, digest in digests.items()}
        return [self._known_page(page, bodies.get(page.id) if page else None) for page in pages]

    def _known_page(self, page: Page | None, body: bytes | None) -> KnownPage:
        if page is None:
            return KnownPage()
        if body is not None:
            return KnownPage(body=body, change=self._found_lately(page))
        return KnownPage(validators=_capture_validators(page.capture), last=page.capture)

    def _captured_lately(self, page: Page) -> bool:
        return self._since is not None and page.capture.fetched_at >= self._since

    def _found_lately(self, page: Page) -> PageChange | None:
        if not self._captured_lately(page):
            return None
        last, *before = self._app.store.pages.captures(page.id, limit=2)
        if not before:
            return PageChange.NEW
        return PageChange.UNCHANGED if last.body_digest == before[0].body_digest else PageChange.CHANGED

    def _rests(self, page: Page) -> bool:
        if (
            self._always is None
            or scheme_neutral_url(page.url) in self._always
            or page.gone_at is not None
            or page.look_at is None
        ):
            return False
        # A page that is nearly due is fetched now, because the next crawl is a whole interval away.
        return page.look_at - timedelta(hours=page.interval_hours * EARLY_LOOK_SHARE) > self._app.now()

    def note_unchanged(self, answers: Sequence[tuple[str, Capture]]) -> list[bytes]:
        """Store 304 responses as captures of their own, and return the earlier bodies."""
        ids = [page_id(self._schemes.kept_as(url)) for url, _ in answers]
        pages = self._app.store.pages.many(ids)
        last = [(pages.get(id) or self._app.store.pages.get(id)).capture for id in ids]
        bodies = self._app.store.blobs.get_all([capture.body_digest for capture in last])
        self._put(
            [(url, _refresh_capture(capture, answer)) for (url, answer), capture in zip(answers, last, strict=True)]
        )
        return [bodies[capture.body_digest] for capture in last]

    def session(self, cookies: Sequence[Cookie]) -> None:
        """Store the cookies for the next crawl, unless the stored ones were changed meanwhile."""
        if open_access(self._app, self._site_id).cookies != self._cookies:
            return
        store_cookies(self._app, self._site_id, cookies)

    def report_gone(self, url: str, reason: Message) -> None:
        """Record that the server reports a page as gone."""
        mark_page_gone(self._app, self._schemes.kept_as(url), reason)

    def report_refused(self, url: str, reason: Message, kind: str) -> None:
        """Record why a URL gave no page."""
        self._app.store.problems.put(CRAWL, url, reason, self._app.now(), kind=kind, run=self._run_id)

    def _send(self) -> None:
        """Queue the next step of captured pages in one message. After a crash the reconciler queues the rest."""
        ids: list[str] = []
        with suppress(IndexError):  # another thread may send as well
            while len(ids) < QUEUE_BATCH_PAGES:
                ids.append(self._to_send.popleft())
        self._app.enqueue(OwnerKind.PAGE, ids, Step.EXTRACT)

    def progress(self, counts: CrawlCounts) -> None:
        """Queue pending pages and send a heartbeat. A short outage of a server does not end the run."""
        self._send()
        with suppress(Unavailable):
            self._app.store.runs.beat(self._run_id, self._app.now(), counts.as_mapping())

    def looks(self, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Store the template classes and languages of the run, for comparison with the next one."""
        self._app.store.runs.set_looks(self._run_id, template, languages)


@contextmanager
def capture_spans(arrivals: Sequence[Arrival]) -> Iterator[None]:
    """Trace the capture of these pages during the block."""
    with ExitStack() as spans:
        for arrival in arrivals:
            spans.enter_context(trace_span("page.capture", str(Owner.of_page(page_id(arrival.url)))))
        yield


def _page_change(page: Page) -> PageChange:
    if page.progress.step is not Step.EXTRACT:
        return PageChange.UNCHANGED
    return PageChange.NEW if page.captures == 1 else PageChange.CHANGED


def _capture_validators(capture: Capture) -> Validators | None:
    return None if capture.rendered_digest else read_validators(capture.headers)


def _refresh_capture(last: Capture, answer: Capture) -> Capture:
    """Return a capture with the new response headers and the earlier body."""
    return replace(
        answer,
        headers=refresh_headers(last.headers, answer.headers),
        body_digest=last.body_digest,
        body_size=last.body_size,
        assets_digest=last.assets_digest,
        warc=last.warc,
        problems=last.problems,
    )


TURN_LENGTH = timedelta(minutes=10)  # a crawler then yields its slot to a waiting run


class SteeredStoringSink(StoringSink):
    """A storing sink that stops the crawler when needed.

    The crawler stops when a user pauses or stops the run, its site changes, quiet hours begin, or its turn is over
    while another run waits. After a change the run continues with the new settings of the site.
    """

    def __init__(self, product: Product, run: Run, site: Site, cookies: Sequence[Cookie]) -> None:
        always = {canonical_url(url) for url in site.start_urls} if run.due is not None else None
        super().__init__(
            product,
            run.id,
            site.id,
            site.interval_hours,
            since=run.started_at,
            always=always,
            cookies=cookies,
            addresses=run.addresses,
        )
        self._site = site
        self._subject = run.subject
        self._until = product.now() + TURN_LENGTH
        self.gives_way = False  # stopped in favour of another run

    def should_leave_off(self) -> bool:
        """Return whether the crawler should stop now."""
        with suppress(Unavailable):
            run = self._app.store.runs.get(self._run_id)
            site = self._site_now()
            if (
                run.ended_at is not None
                or run.state is not RunState.GOING
                or current_quiet_end(self._app, site) is not None
            ):
                return True
            if self._asked_of(site) != self._asked_of(self._site):
                return True
            self.gives_way = self._app.now() > self._until and self._app.queue.count_waiting()["crawl"] > 0
        return self.gives_way

    def needs_browser(self, url: str) -> None:
        """Record that the site needs a browser, if it is watched. The running crawl already renders such pages."""
        with suppress(NotFound):
            self._site = note_needs_browser(self._app, self._site.id, url)

    def _site_now(self) -> Site:
        """Return the current settings of the site. A temporary or removed site is returned as it was."""
        if self._subject is None or self._subject.kind is not SubjectKind.SITE:
            return self._site
        with suppress(NotFound):
            return self._app.store.sites.get(self._site.id)
        return self._site

    def _asked_of(self, site: Site) -> CrawlJob:
        return make_crawl_job(site, self._app.settings, Access(id=site.id))


def yield_turn(product: Product, run_id: str, *, alone: bool) -> None:
    """Queue a crawler behind waiting runs, after this one yielded its slot.

    alone: no other crawler works on the run.
    """
    if alone:
        product.store.runs.move(run_id, WORKING_STATES, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the reconciler queues it
        product.queue.crawl(run_id)
