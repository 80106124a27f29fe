"""Run the demo through the production queues, and compare its cases with the expected ones."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta

from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting
from wenhen.crawls.service import start_crawl
from wenhen.demo.articles import WORKS_DIR, Article, CopiedText
from wenhen.demo.website import (
    DEMO_LICENCES,
    LISTINGS,
    SITES,
    DemoServer,
    Replacements,
    build_pages,
    is_disallowed,
    list_articles,
)
from wenhen.kit.progress import Subject
from wenhen.kit.rights import Right
from wenhen.licences.model import Licence
from wenhen.matching.index_rebuild import build_missing_indexes
from wenhen.runtime.processes.dashboard_process import dashboard_child
from wenhen.runtime.processes.supervisor import Supervisor
from wenhen.runtime.processes.workers import wait_until_idle, worker_children
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, throwaway_app
from wenhen.sites.model import Site
from wenhen.works.import_export import ImportedWorks, import_paths

# What the demo must find, and where it must find nothing: derived from how the pages are built.


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCase:
    """One case a page and work that it copies. `disguise` is a name of `DISGUISES`, or several joined by "+"."""

    host: str
    path: str
    work_title: str
    disguise: str
    licensed: bool

    @property
    def url(self) -> str:
        """The address as the crawler knows it."""
        return f"http://{self.host}{self.path}"


def expected_cases(replace: Replacements | None = None) -> list[ExpectedCase]:
    """The cases that a run over `build_pages(replace)` must open, a chapter over several pages as one; what robots.txt
    disallows is never read.
    """
    return [
        _expected_case(article, copied)
        for article in list_articles(replace)
        if not is_disallowed(*article.address) and not article.continues
        for copied in article.copied_parts()
    ]


def innocent_addresses(replace: Replacements | None = None) -> list[tuple[str, str]]:
    """(host, path) of the pages that are no copy: those that copy nothing, lists, and what must not be crawled."""
    return [
        *(a.address for a in list_articles(replace) if is_disallowed(*a.address) or not a.copied_parts()),
        *((listing.host, listing.path) for listing in LISTINGS),
    ]


def _expected_case(article: Article, copied: CopiedText) -> ExpectedCase:
    return ExpectedCase(
        host=article.host,
        path=article.path,
        work_title=copied.work_title,
        disguise=copied.disguise,
        licensed=any(licence.covers(article.host, article.path, copied.work_title) for licence in DEMO_LICENCES),
    )


# The demo: the whole chain on the sample works and the little web, through the production queues and tasks.


Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class DemoOutcome:
    """What the demo expected and what it found, by page address and work title."""

    cases: tuple[Case, ...]
    expected: tuple[ExpectedCase, ...]
    imported: ImportedWorks
    pages: int
    seconds: float

    @property
    def missing_pairs(self) -> list[tuple[str, str]]:
        """Expected and not found."""
        return sorted(self._expected_pairs() - self._found_pairs())

    @property
    def surplus_pairs(self) -> list[tuple[str, str]]:
        """Found and not expected."""
        return sorted(self._found_pairs() - self._expected_pairs())

    @property
    def wrongly_licensed(self) -> list[tuple[str, str]]:
        """Found, but authorised where it should not be, or the reverse."""
        wanted = {(case.url, case.work_title): case.licensed for case in self.expected}
        return sorted(
            (case.page_url, case.work_title)
            for case in self.cases
            if wanted.get((case.page_url, case.work_title), bool(case.licence_id)) != bool(case.licence_id)
        )

    @property
    def right(self) -> bool:
        """The cases are the right ones, no more and no fewer."""
        return not (self.missing_pairs or self.surplus_pairs or self.wrongly_licensed)

    def _expected_pairs(self) -> set[tuple[str, str]]:
        return {(case.url, case.work_title) for case in self.expected}

    def _found_pairs(self) -> set[tuple[str, str]]:
        return {(case.page_url, case.work_title) for case in self.cases}


@contextmanager
def start_demo(settings: Settings, *, port: int | None) -> Iterator["Demo"]:
    """Servers on a throw-away folder, the little web, workers and the dashboard, for the block."""
    with ExitStack() as stack:
        web = stack.enter_context(DemoServer())
        sign_in = settings.dashboard.password is not None
        of_demo = {
            "crawler": settings.crawler.model_copy(update={"host_map": web.addresses()}),
            "dashboard": settings.dashboard.model_copy(update={"sign_in": sign_in}),
        }
        app = stack.enter_context(throwaway_app(settings.model_copy(update=of_demo)))
        build_missing_indexes(app)
        dashboard_address, dashboard = dashboard_child(app, port=port)
        children = stack.enter_context(Supervisor([*worker_children(app), dashboard]))
        yield Demo(app, dashboard_address, children, web)


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demo."""

    app: App
    dashboard: str
    children: Supervisor
    web: DemoServer

    def run(self, say: Say) -> DemoOutcome:
        """Import, crawl, match; what came out."""
        begun = time.monotonic()
        imported = import_paths(Acting(self.app, "demo", frozenset(Right)), [WORKS_DIR])
        say(f"作品 works: {len(imported.new)} imported, {len(imported.refused)} refused")
        self._license()
        self._crawl(say)
        return self._outcome(imported, begun)

    def crawl_again(self, imported: ImportedWorks, replace: Replacements) -> DemoOutcome:
        """Let pages show other texts, and crawl their sites again; what came out."""
        begun = time.monotonic()
        self.web.show(build_pages(replace))
        for host in {host for host, _ in replace}:
            start_crawl(self.app, Subject.read(host))
        return self._outcome(imported, begun, replace)

    def _outcome(self, imported: ImportedWorks, begun: float, replace: Replacements | None = None) -> DemoOutcome:
        wait_until_idle(self.app)
        return DemoOutcome(
            # A later page of a chapter may come before the first, and have a case until both are one text.
            cases=tuple(case for case in self.app.store.cases.each() if case.present),
            expected=tuple(expected_cases(replace)),
            imported=imported,
            pages=self.app.store.pages.count(),
            seconds=time.monotonic() - begun,
        )

    def _license(self) -> None:
        for place, licence in enumerate(DEMO_LICENCES):
            work = next(w for w in self.app.store.works.find(query=licence.work_title) if w.title == licence.work_title)
            self.app.store.licences.put(
                Licence(
                    id=f"demo-{place}",
                    licensee=licence.licensee,
                    url_prefix=licence.url_prefix,
                    work_id=work.id,
                    valid_from=licence.valid_from,
                    valid_until=licence.valid_until,
                )
            )

    def _crawl(self, say: Say) -> None:
        now = self.app.now()
        for site in SITES.values():
            self.app.store.sites.put(
                Site(
                    id=site.host,
                    name=site.name,
                    start_urls=(f"http://{site.host}/",),
                    hosts=(site.host,),
                    interval_hours=24,
                    max_pages=200,
                    max_depth=6,
                    added_at=now,
                    due=now + timedelta(hours=24),
                )
            )
            start_crawl(self.app, Subject.read(site.host))
        say(f"网站 sites: {', '.join(site.host for site in SITES.values())}")
