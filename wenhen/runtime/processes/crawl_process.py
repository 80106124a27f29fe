"""Run one crawl in this process."""

# Imported first, while the stack is short: on import, Scrapy looks up the source of every stack frame three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

# isort: split
import logging
import sys
from dataclasses import replace

from crawler.frontier.redis import RedisFrontier
from crawler.ports import FrontierState
from crawler.run import run_crawl
from wenhen.crawls.job import find_crawled_site, make_crawl_job
from wenhen.crawls.model import Run, RunState
from wenhen.crawls.service import WORKING_STATES, end_run, lose_run, recrawl_job, resend_run
from wenhen.crawls.sink import yield_turn
from wenhen.kit.errors import Unavailable, WenhenError
from wenhen.kit.progress import SubjectKind
from wenhen.kit.python_process import tune_worker_garbage_collection
from wenhen.kit.telemetry import record_context
from wenhen.runtime.monitoring import set_up_logs, set_up_traces
from wenhen.runtime.processes.crawl_writer import CrawlWriter
from wenhen.runtime.wiring import App, open_frontier, open_pace, worker_app
from wenhen.sites.access import open_access
from wenhen.sites.model import Site
from wenhen.sites.schedule import current_quiet_end

logger = logging.getLogger(__name__)


def main(run_id: str, name: str | None = None) -> int:
    """Work on a run until it is over or has to stop. Return status 1 on failure."""
    tune_worker_garbage_collection()
    writer = CrawlWriter()
    try:
        app = worker_app()
        set_up_logs(app.settings.log)
        set_up_traces(app.settings.tracing)
        with record_context(f"run:{run_id}"):
            return _join_run(app, writer, run_id, name)
    finally:
        writer.close()


def _join_run(app: App, writer: CrawlWriter, run_id: str, name: str | None) -> int:
    run = app.store.runs.get(run_id)
    if run.ended_at is not None or run.state not in WORKING_STATES:
        return 0
    assert run.subject is not None
    try:
        site = find_crawled_site(app, run.subject, run.addresses)
        if _pause_in_quiet_hours(app, run, site):
            return 0
        frontier = open_frontier(app.settings, run, site.max_pages, crawler=name)
        if frontier.join(app.settings.crawler.crawlers):
            try:
                gave_way = _fetch_pages(app, writer, run, site, frontier)
            finally:
                alone = frontier.leave() == 0
            _settle_run(app, run_id, site, frontier, alone=alone, gave_way=gave_way)
    except Unavailable as error:
        lose_run(app, run_id, error.message)
    except WenhenError as error:
        end_run(app, run, error.message)
        return 1
    return 0


def _fetch_pages(app: App, writer: CrawlWriter, run: Run, site: Site, frontier: RedisFrontier) -> bool:
    """Crawl until nothing is left or the run has to stop. Return whether it stopped for the turn of another run."""
    app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, app.now())
    if run.subject is not None and run.subject.kind is not SubjectKind.LIST:  # a few addresses say nothing of a site
        app.store.sites.set_last_run(site.id, run.id)
    job = make_crawl_job(site, app.settings, open_access(app, site.id))
    if run.recrawl:
        job = recrawl_job(app, job, site)
    elif str(run.subject) == site.id:  # and not a single address of a watched site
        job = replace(job, seeds=tuple(app.store.pages.due_recrawls(site.id, app.now(), site.max_pages)))
    if site.ignore_robots_reason is not None:
        logger.warning(
            "robots.txt of %s is not obeyed: %s (%s)", site.id, site.ignore_robots_reason, site.ignore_robots_by
        )
    sink, archive = writer.begin(run, site, job)
    run_crawl(job, sink, frontier, open_pace(app.settings), archive)
    return sink.gives_way


def _settle_run(app: App, run_id: str, site: Site, frontier: RedisFrontier, *, alone: bool, gave_way: bool) -> None:
    """Set the next state of the run, now that this crawler has left it."""
    turn = frontier.exchange()
    run = app.store.runs.get(run_id)
    if turn.state is FrontierState.OVER or run.ended_at is not None:
        return
    over = turn.state is not FrontierState.GONE and not turn.waiting and not turn.in_hand
    if gave_way and not over and run.state is RunState.GOING:
        yield_turn(app, run_id, alone=alone)
    elif not alone:
        return
    elif over or run.state is RunState.STOPPING:
        end_run(app, run)
    elif run.state is RunState.PAUSING:
        app.store.runs.move(run_id, {RunState.PAUSING}, RunState.PAUSED, app.now())
    elif not _pause_in_quiet_hours(app, run, site):
        resend_run(app, run_id)  # its worker is stopping, or it was resumed meanwhile


def _pause_in_quiet_hours(app: App, run: Run, site: Site) -> bool:
    """Pause the run during quiet hours. Return whether it is paused."""
    till = current_quiet_end(app, site)
    if till is not None:
        app.store.runs.move(run.id, {RunState.WAITING, RunState.GOING}, RunState.RESTING, app.now(), resume_at=till)
    return till is not None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
