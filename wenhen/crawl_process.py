"""The process in which one crawl run fetches: `python -m wenhen.crawl_process RUN_ID`."""

import logging
import sys
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urljoin

from crawler.addresses import canonical
from crawler.frontier import State
from crawler.frontier_redis import RedisFrontier
from crawler.job import CrawlCounts, CrawlJob, Found, Render, Validators
from crawler.process import crawl
from crawler.recrawl import freshened, validators
from store.errors import NotFound, Unavailable, WenhenError
from store.identity import page_id
from store.records import Access, Capture, Cookie, Layout, OwnerKind, Page, Run, RunState, Site, Step
from wenhen.app import App
from wenhen.archive import folder_of
from wenhen.crawled_site import site_for
from wenhen.crawling import WORKING, end, lose, quiet, send_again
from wenhen.looking import look_job
from wenhen.settings import Settings
from wenhen.steps.expiry import welcome_back
from wenhen.steps.mirroring import learn_mirrors
from wenhen.steps.vanishing import note_gone, welcome_returned
from wenhen.wiring import frontier_of, pace_of, worker_app

logger = logging.getLogger(__name__)
LISTED = frozenset((Layout.SITEMAP, Layout.FEED))  # what is not on the list is not followed
TOGETHER = 50  # pages in one message
EARLY = 0.1  # of the time between two looks


class StoringSink:
    """Stores what a crawl brings, queues its next step, and keeps the run's record alive."""

    def __init__(
        self,
        app: App,
        run_id: str,
        site_id: str,
        interval_hours: float = 24.0,
        *,
        since: datetime | None = None,
        always: Collection[str] | None = None,
    ) -> None:
        """What was captured `since` then is not asked for again. With `always`, canonical addresses, pages that are not
        among them are asked for only when their next look is due.
        """
        self._app = app
        self._run_id = run_id
        self._site_id = site_id
        self._interval_hours = interval_hours
        self._since = since
        self._always = always
        self._to_send: deque[str] = deque()  # pages whose next step is not queued yet

    def captured(self, url: str, capture: Capture, body: bytes) -> Found:
        """The body first, then the page that names it, then the message."""
        assert self._app.store.blobs.put(body) == capture.body_digest
        page = self._app.store.pages.put_capture(
            url, capture, site_id=self._site_id, interval_hours=self._interval_hours
        )
        welcome_back(self._app, page)
        welcome_returned(self._app, page)
        if page.captures == 1:
            learn_mirrors(self._app, page)
        if page.progress.step is Step.EXTRACT:
            self._to_send.append(page.id)
            if len(self._to_send) >= TOGETHER:
                self._send()
            return Found.NEW if page.captures == 1 else Found.CHANGED
        return Found.UNCHANGED

    def known(self, url: str) -> Validators | None:
        """By the headers of the newest capture; what a server says of a page that is rendered, it says of its shell."""
        try:
            last = self._app.store.pages.get(page_id(url)).capture
        except NotFound:
            return None
        return None if last.rendered_digest else validators(last.headers)

    def stored(self, url: str) -> bytes | None:
        """Of a page that was captured in this run, before it was taken up again, or that is not due."""
        if self._since is None and self._always is None:
            return None
        try:
            page = self._app.store.pages.get(page_id(url))
        except NotFound:
            return None
        if not (self._captured_lately(page) or self._rests(page)):
            return None
        return self._app.store.blobs.get(page.capture.rendered_digest or page.capture.body_digest)

    def _captured_lately(self, page: Page) -> bool:
        return self._since is not None and page.capture.fetched_at >= self._since

    def _rests(self, page: Page) -> bool:
        if self._always is None or page.url in self._always or page.gone_at is not None or page.look_at is None:
            return False
        # What is nearly due is looked at now: the next crawl of a site comes as long after this one.
        return page.look_at - timedelta(hours=page.interval_hours * EARLY) > self._app.now()

    def unchanged(self, url: str, capture: Capture) -> bytes:
        """A capture of its own, with the body of the one before."""
        last = self._app.store.pages.get(page_id(url)).capture
        body = self._app.store.blobs.get(last.body_digest)
        same = replace(
            capture,
            headers=freshened(last.headers, capture.headers),
            body_digest=last.body_digest,
            body_size=last.body_size,
            warc=last.warc,
            problems=last.problems,
        )
        self.captured(url, same, body)
        return body

    def rendered(self, dom: bytes) -> None:
        """What a browser made of a page, beside what was sent."""
        self._app.store.blobs.put(dom)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """The next crawl goes on with it."""
        self._app.store.accesses.set_cookies(self._site_id, cookies, self._app.now())

    def gone(self, url: str, reason: str) -> None:
        """Its server says that the page is no longer there."""
        note_gone(self._app, url, reason)

    def refused(self, url: str, reason: str) -> None:
        """Note why an address gave nothing."""
        self._app.store.problems.put("crawl", url, reason, self._app.now())

    def _send(self) -> None:
        """Queue the next step of what was captured, in one message; the sweep sends what a killed crawl did not."""
        ids = [self._to_send.popleft() for _ in range(min(len(self._to_send), TOGETHER))]
        self._app.enqueue_all(OwnerKind.PAGE, ids, Step.EXTRACT)

    def progress(self, counts: CrawlCounts) -> None:
        """The run is alive; a server that is away for a moment does not end it."""
        self._send()
        with suppress(Unavailable):
            self._app.store.runs.beat(self._run_id, self._app.now(), counts.as_mapping())


def job_for(site: Site, settings: Settings, access: Access) -> CrawlJob:
    """What to fetch, and how."""
    rules = settings.crawler
    internal = site.internal or set(site.hosts) <= set(rules.host_map)
    return CrawlJob(
        start_urls=_starts(site),
        hosts=site.hosts,
        mirrors=site.mirrors,
        user_agent=rules.user_agent,
        contact=rules.contact,
        max_pages=site.max_pages,
        max_depth=0 if site.layout in LISTED else site.max_depth,
        include=site.include,
        exclude=site.exclude,
        internal=internal,
        host_map=rules.host_map if internal else {},
        delay=(rules.internal_delay if internal else rules.delay) if site.delay is None else site.delay,
        concurrency=site.concurrency or rules.concurrency,
        timeout=rules.timeout,
        retries=rules.retries,
        backoff=rules.backoff,
        max_body_bytes=rules.max_body_mb * 2**20,
        obey_robots=rules.obey_robots and site.ignore_robots_reason is None,
        header_profile=site.header_profile,
        cookies=access.cookies,
        proxies=access.proxies or tuple(rules.proxies),
        render=Render.ALWAYS if site.render else Render.EMPTY if rules.render_empty else Render.NEVER,
        browser=rules.browser,
        browser_seconds=rules.browser_seconds,
        warc_dir=folder_of(settings),
    )


def _starts(site: Site) -> tuple[str, ...]:
    """Of a whole host its robots.txt as well, which names its sitemaps."""
    if site.layout is not Layout.HOST:
        return site.start_urls
    return (*site.start_urls, *(urljoin(url, "/robots.txt") for url in site.start_urls))


class SteeredSink(StoringSink):
    """The same, which leaves off when somebody pauses or stops the run, and when quiet hours begin."""

    def __init__(self, app: App, run: Run, site: Site) -> None:
        always = {canonical(url) for url in site.start_urls} if run.due is not None else None
        super().__init__(app, run.id, site.id, site.interval_hours, since=run.started_at, always=always)
        self._site = site

    def leaves_off(self) -> bool:
        """Whether the run is no longer to go on now."""
        with suppress(Unavailable):
            run = self._app.store.runs.get(self._run_id)
            return (
                run.ended_at is not None or run.state is not RunState.GOING or quiet(self._app, self._site) is not None
            )
        return False


def main(run_id: str) -> int:
    """Take part in a run until it is over, or is to leave off; status 1 when that could not be done."""
    app = worker_app()
    run = app.store.runs.get(run_id)
    if run.ended_at is not None or run.state not in WORKING:
        return 0
    assert run.subject is not None
    try:
        site = site_for(app, run.subject)
        if _rests(app, run, site):
            return 0
        frontier = frontier_of(app.settings, run, site.max_pages)
        if frontier.join(app.settings.crawler.crawlers):
            try:
                _fetch(app, run, site, frontier)
            finally:
                alone = frontier.leave() == 0
            _settle(app, run_id, site, frontier, alone=alone)
    except Unavailable as error:
        lose(app, run_id, str(error))
    except WenhenError as error:
        end(app, run, str(error))
        return 1
    return 0


def _fetch(app: App, run: Run, site: Site, frontier: RedisFrontier) -> None:
    app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, app.now())
    app.store.sites.set_last_run(site.id, run.id)
    job = job_for(site, app.settings, app.store.accesses.get(site.id))
    if run.looks:
        job = look_job(app, job, site)
    elif run.subject == site.id:
        job = replace(job, seeds=tuple(app.store.pages.due_looks(site.id, app.now(), site.max_pages)))
    if site.ignore_robots_reason is not None:
        logger.warning(
            "robots.txt of %s is not obeyed: %s (%s)", site.id, site.ignore_robots_reason, site.ignore_robots_by
        )
    crawl(job, SteeredSink(app, run, site), frontier, pace_of(app.settings))


def _settle(app: App, run_id: str, site: Site, frontier: RedisFrontier, *, alone: bool) -> None:
    """See to what becomes of the run, now that this crawler has left it."""
    turn = frontier.exchange()
    run = app.store.runs.get(run_id)
    if turn.state is State.OVER or run.ended_at is not None or not alone:
        return
    if (turn.state is not State.GONE and not turn.waiting and not turn.in_hand) or run.state is RunState.STOPPING:
        end(app, run)
    elif run.state is RunState.PAUSING:
        app.store.runs.move(run_id, {RunState.PAUSING}, RunState.PAUSED, app.now())
    elif not _rests(app, run, site):
        send_again(app, run_id)  # its worker is told to end, or it was resumed meanwhile


def _rests(app: App, run: Run, site: Site) -> bool:
    """Let the run rest if these are quiet hours; whether they are."""
    till = quiet(app, site)
    if till is not None:
        app.store.runs.move(run.id, {RunState.WAITING, RunState.GOING}, RunState.RESTING, app.now(), resume_at=till)
    return till is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
