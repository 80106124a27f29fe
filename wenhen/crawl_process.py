"""The process in which one crawl run fetches: `python -m wenhen.crawl_process RUN_ID`."""

import logging
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from crawler.job import CrawlCounts, CrawlJob, Render, Validators
from crawler.process import crawl
from crawler.recrawl import freshened, validators
from store.errors import NotFound, Unavailable, WenhenError
from store.identity import page_id
from store.records import Access, Capture, Cookie, OwnerKind, Page, Site, Step
from wenhen.app import App
from wenhen.crawling import site_for
from wenhen.settings import Settings
from wenhen.steps.expiry import welcome_back
from wenhen.steps.vanishing import note_gone, welcome_returned
from wenhen.wiring import worker_app

logger = logging.getLogger(__name__)
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

    def captured(self, url: str, capture: Capture, body: bytes) -> None:
        """The body first, then the page that names it, then the message."""
        assert self._app.store.blobs.put(body) == capture.body_digest
        page = self._app.store.pages.put_capture(
            url, capture, site_id=self._site_id, interval_hours=self._interval_hours
        )
        welcome_back(self._app, page)
        welcome_returned(self._app, page)
        if page.progress.step is Step.EXTRACT:
            self._app.enqueue(OwnerKind.PAGE, page.id, Step.EXTRACT)

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

    def progress(self, counts: CrawlCounts) -> None:
        """The run is alive; a server that is away for a moment does not end it."""
        with suppress(Unavailable):
            self._app.store.runs.beat(self._run_id, self._app.now(), counts.as_mapping())


def job_for(site: Site, settings: Settings, access: Access) -> CrawlJob:
    """What to fetch, and how."""
    rules = settings.crawler
    internal = site.internal or set(site.hosts) <= set(rules.host_map)
    return CrawlJob(
        start_urls=site.start_urls,
        hosts=site.hosts,
        user_agent=rules.user_agent,
        contact=rules.contact,
        max_pages=site.max_pages,
        max_depth=site.max_depth,
        internal=internal,
        host_map=rules.host_map if internal else {},
        delay=rules.internal_delay if internal else rules.delay,
        concurrency=rules.concurrency,
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
        warc_dir=Path(rules.warc).absolute() if rules.warc else None,
    )


def main(run_id: str) -> int:
    """Fetch, and end the run with what came of it; status 1 when it could not."""
    app = worker_app()
    run = app.store.runs.get(run_id)
    assert run.subject is not None
    counts: dict[str, int] = {}
    problem = None
    try:
        site = site_for(app, run.subject)
        job = job_for(site, app.settings, app.store.accesses.get(site.id))
        if site.ignore_robots_reason is not None:
            logger.warning(
                "robots.txt of %s is not obeyed: %s (%s)", site.id, site.ignore_robots_reason, site.ignore_robots_by
            )
        sink = StoringSink(app, run_id, site.id, site.interval_hours, since=run.started_at)
        counts = crawl(job, sink).as_mapping()
        with suppress(WenhenError):
            app.store.sites.set_last_run(site.id, run_id)
    except WenhenError as error:
        problem = str(error)
    app.store.runs.end(run_id, app.now(), counts, problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
