"""The process in which one crawl run fetches: `python -m wenhen.processes.crawl_process RUN_ID [NAME]`, by
the name under which it takes part.
"""

import logging
import sys
from dataclasses import replace

# First, where the stack is short: as it is imported, Scrapy looks up the source of every frame of it three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

from crawler.crawl.frontier_port import State
from crawler.frontier.redis import RedisFrontier
from crawler.run_crawl import crawl
from services.crawls.end_of_run import end
from services.crawls.job_of_site import job_for
from services.crawls.leaving_off import give_way
from services.crawls.lost_runs import lose
from services.crawls.opened_access import opened_access
from services.crawls.quiet_hours import quiet
from services.crawls.recrawls import recrawl_job
from services.crawls.runs import WORKING, send_again
from services.crawls.subject import site_for
from store.at_work import at_work
from store.errors import Unavailable, WenhenError
from store.records import Run, RunState, Site
from wenhen.garbage_collection import look_for_garbage_seldom
from wenhen.processes.crawl_writer import CrawlWriter
from wenhen.telemetry.logs import set_up_logs
from wenhen.telemetry.tracing import set_up_traces
from wenhen.wiring import App, frontier_of, pace_of, worker_app

logger = logging.getLogger(__name__)


def main(run_id: str, name: str | None = None) -> int:
    """Take part in a run until it is over, or is to leave off; status 1 when that could not be done."""
    look_for_garbage_seldom()
    writer = CrawlWriter()
    try:
        app = worker_app()
        set_up_logs(app.settings.log)
        set_up_traces(app.settings.tracing)
        with at_work(f"run:{run_id}"):
            return _take_part(app, writer, run_id, name)
    finally:
        writer.close()


def _take_part(app: App, writer: CrawlWriter, run_id: str, name: str | None) -> int:
    run = app.store.runs.get(run_id)
    if run.ended_at is not None or run.state not in WORKING:
        return 0
    assert run.subject is not None
    try:
        site = site_for(app, run.subject)
        if _rests(app, run, site):
            return 0
        frontier = frontier_of(app.settings, run, site.max_pages, crawler=name)
        if frontier.join(app.settings.crawler.crawlers):
            try:
                gave_way = _fetch(app, writer, run, site, frontier)
            finally:
                alone = frontier.leave() == 0
            _settle(app, run_id, site, frontier, alone=alone, gave_way=gave_way)
    except Unavailable as error:
        lose(app, run_id, error.message)
    except WenhenError as error:
        end(app, run, error.message)
        return 1
    return 0


def _fetch(app: App, writer: CrawlWriter, run: Run, site: Site, frontier: RedisFrontier) -> bool:
    """Until nothing is left or it is to leave off; whether that was for another run."""
    app.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, app.now())
    app.store.sites.set_last_run(site.id, run.id)
    job = job_for(site, app.settings, opened_access(app, site.id))
    if run.recrawl:
        job = recrawl_job(app, job, site)
    elif str(run.subject) == site.id:  # and not one address of a watched site
        job = replace(job, seeds=tuple(app.store.pages.due_recrawls(site.id, app.now(), site.max_pages)))
    if site.ignore_robots_reason is not None:
        logger.warning(
            "robots.txt of %s is not obeyed: %s (%s)", site.id, site.ignore_robots_reason, site.ignore_robots_by
        )
    sink, archive = writer.begin(run, site, job)
    crawl(job, sink, frontier, pace_of(app.settings), archive)
    return sink.gives_way


def _settle(app: App, run_id: str, site: Site, frontier: RedisFrontier, *, alone: bool, gave_way: bool) -> None:
    """See to what becomes of the run, now that this crawler has left it."""
    turn = frontier.exchange()
    run = app.store.runs.get(run_id)
    if turn.state is State.OVER or run.ended_at is not None:
        return
    over = turn.state is not State.GONE and not turn.waiting and not turn.in_hand
    if gave_way and not over and run.state is RunState.GOING:
        give_way(app, run_id, alone=alone)
    elif not alone:
        return
    elif over or run.state is RunState.STOPPING:
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
    sys.exit(main(*sys.argv[1:]))
