"""The demo: the whole chain on the sample works and the little web, through the production queues and tasks."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta

from lab.demo.expected import ExpectedCase, expected_cases
from lab.demo.licences import LICENCES
from lab.demo.pages import Replacements, build_pages
from lab.demo.server import DemoServer
from lab.demo.sites import SITES
from lab.demo.texts import WORKS_DIR
from pipeline.library.rebuild_index import make_missing_indexes
from services.acting import Acting
from services.crawls.runs import start_crawl
from services.library.import_works import ImportedWorks, import_paths
from store.records import Case, Licence, Site, Subject
from store.rules.role_rights import Right
from wenhen.processes.dashboard_process import dashboard_child
from wenhen.processes.supervise import Supervisor
from wenhen.processes.throwaway_product import throwaway_app
from wenhen.processes.workers import worker_children
from wenhen.processes.working_off import wait_until_idle
from wenhen.settings import Settings
from wenhen.wiring import App

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
    def missing(self) -> list[tuple[str, str]]:
        """Expected and not found."""
        return sorted(self._expected() - self._found())

    @property
    def surplus(self) -> list[tuple[str, str]]:
        """Found and not expected."""
        return sorted(self._found() - self._expected())

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
        return not (self.missing or self.surplus or self.wrongly_licensed)

    def _expected(self) -> set[tuple[str, str]]:
        return {(case.url, case.work_title) for case in self.expected}

    def _found(self) -> set[tuple[str, str]]:
        return {(case.page_url, case.work_title) for case in self.cases}


@contextmanager
def demo_running(settings: Settings, *, port: int | None) -> Iterator["Demo"]:
    """Servers on a throw-away folder, the little web, workers and the dashboard, for the block."""
    with ExitStack() as stack:
        web = stack.enter_context(DemoServer())
        sign_in = settings.dashboard.password is not None
        of_demo = {
            "crawler": settings.crawler.model_copy(update={"host_map": web.addresses()}),
            "dashboard": settings.dashboard.model_copy(update={"sign_in": sign_in}),
        }
        app = stack.enter_context(throwaway_app(settings.model_copy(update=of_demo)))
        make_missing_indexes(app)
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
        for place, licence in enumerate(LICENCES):
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
