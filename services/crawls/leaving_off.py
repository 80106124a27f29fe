"""When a crawler leaves off before nothing is left to fetch, and what gives way to another run."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.job import CrawlJob
from services.context import Product
from services.crawls.job_of_site import job_for
from services.crawls.learned_rendering import note_needs_browser
from services.crawls.quiet_hours import quiet
from services.crawls.runs import WORKING
from services.crawls.storing_sink import StoringSink
from store.errors import NotFound, Unavailable
from store.records import Access, Cookie, Run, RunState, Site, SubjectKind

TURN = timedelta(minutes=10)  # after which a crawler leaves its place to a run that waits for one


class SteeredStoringSink(StoringSink):
    """A sink that stores, and leaves off when somebody pauses or stops the run, when its site was changed, to go on as
    the site is now, when quiet hours begin, and after a while where another run waits for a crawler.
    """

    def __init__(self, product: Product, run: Run, site: Site, cookies: Sequence[Cookie]) -> None:
        always = {canonical(url) for url in site.start_urls} if run.due is not None else None
        super().__init__(
            product, run.id, site.id, site.interval_hours, since=run.started_at, always=always, cookies=cookies
        )
        self._site = site
        self._subject = run.subject
        self._until = product.now() + TURN
        self.gives_way = False  # it left off so that another run has its turn

    def leaves_off(self) -> bool:
        """Whether the run is no longer to go on now."""
        with suppress(Unavailable):
            run = self._app.store.runs.get(self._run_id)
            site = self._site_now()
            if run.ended_at is not None or run.state is not RunState.GOING or quiet(self._app, site) is not None:
                return True
            if self._asked_of(site) != self._asked_of(self._site):
                return True
            self.gives_way = self._app.now() > self._until and self._app.queue.waiting()["crawl"] > 0
        return self.gives_way

    def needs_browser(self, url: str) -> None:
        """Its site learns it, where it is watched; this crawl renders such pages already, and need not begin anew."""
        with suppress(NotFound):
            self._site = note_needs_browser(self._app, self._site.id, url)

    def _site_now(self) -> Site:
        """The site as it is by now; one that nobody watches, or that was removed, as it was."""
        if self._subject is None or self._subject.kind is not SubjectKind.SITE:
            return self._site
        with suppress(NotFound):
            return self._app.store.sites.get(self._site.id)
        return self._site

    def _asked_of(self, site: Site) -> CrawlJob:
        return job_for(site, self._app.settings, Access(id=site.id))


def give_way(product: Product, run_id: str, *, alone: bool) -> None:
    """A crawler left so that another run has its turn: call for one that takes its place, behind those that wait."""
    if alone:
        product.store.runs.move(run_id, WORKING, RunState.WAITING, product.now())
    with suppress(Unavailable):  # the sweep sends it
        product.queue.crawl(run_id)
