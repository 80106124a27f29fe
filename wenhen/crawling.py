"""A crawl run: the record of it, and the process of its own that fetches."""

import dataclasses
import subprocess
import sys
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from store.errors import BadInput, Conflict, NotFound
from store.records import Run, RunKind, Site
from wenhen.app import App
from wenhen.discover.batches import SUBJECT, batch_site

LOST_AFTER = timedelta(seconds=30)
AD_HOC_PAGES = 200
AD_HOC_DEPTH = 3
MAX_LOSSES = 3  # a crawl that takes its worker down this often in a row is left to people


def start_crawl(app: App, subject: str) -> Run:
    """Queue a crawl of a site, or of an address. Raises `NotFound`, `BadInput`, and `Conflict` while one of the same
    runs.
    """
    site_for(app, subject)
    if any(run.subject == subject for run in active_crawls(app)):
        raise Conflict(f"{subject} is being crawled: wait for the end of that run")
    run = app.store.runs.start(RunKind.CRAWL, subject, app.now())
    app.queue.crawl(run.id)
    return run


def active_crawls(app: App) -> list[Run]:
    """Crawls that wait or run."""
    return [run for run in app.store.runs.recent(kind=RunKind.CRAWL, limit=500) if run.ended_at is None]


def site_for(app: App, subject: str) -> Site:
    """The site with this id; for an address, the site that it belongs to, started there, or one made for the
    occasion.
    """
    if subject.startswith(SUBJECT):
        return batch_site(app, subject)
    if not subject.startswith(("http://", "https://")):
        return app.store.sites.get(subject)
    host = urlsplit(subject).hostname
    if not host:
        raise BadInput(f"{subject} is not an address: it names no host")
    for site in app.store.sites.all():
        if host in site.hosts:
            return _started_at(site, subject)
    return ad_hoc_site(subject, host, app.now())


def ad_hoc_site(url: str, host: str, now: datetime) -> Site:
    """A site made for the occasion, which no store knows."""
    return Site(
        id=url,
        name=url,
        start_urls=(url,),
        hosts=(host,),
        interval_hours=24,
        max_pages=AD_HOC_PAGES,
        max_depth=AD_HOC_DEPTH,
        added_at=now,
        due=now,
    )


def run_crawl(app: App, run_id: str) -> None:
    """Do a crawl in a process of its own (a Twisted reactor cannot be started twice), unless another worker has
    begun it.
    """
    try:
        run = app.store.runs.get(run_id)
    except NotFound:
        return
    if run.ended_at is not None or _begun(run) or not app.store.marks.claim(f"crawl:{run_id}", app.now(), LOST_AFTER):
        return
    app.store.runs.beat(run_id, app.now(), {})
    done = subprocess.run([sys.executable, "-m", "wenhen.crawl_process", run_id], check=False)
    if done.returncode and app.store.runs.get(run_id).ended_at is None:
        app.store.runs.end(run_id, app.now(), run.counts, f"the crawl's process ended with status {done.returncode}")


def take_up_lost(app: App) -> int:
    """Start the crawls again whose process died; those that wait while their queue is empty are sent again. How
    many.
    """
    lost = 0
    for run in active_crawls(app):
        if app.now() - run.heartbeat_at < LOST_AFTER:
            continue
        if _begun(run):
            app.store.runs.end(run.id, app.now(), run.counts, "its worker died")
            if run.subject is not None and _losses(app, run.subject) < MAX_LOSSES:
                start_crawl(app, run.subject)
            lost += 1
        elif not app.queue.waiting()["crawl"]:
            app.queue.crawl(run.id)
            lost += 1
    return lost


def _begun(run: Run) -> bool:
    return run.heartbeat_at > run.started_at


def _losses(app: App, subject: str) -> int:
    losses = 0
    for run in app.store.runs.recent(kind=RunKind.CRAWL, limit=500):
        if run.subject == subject and run.ended_at is not None:
            if run.problem != "its worker died":
                break
            losses += 1
    return losses


def _started_at(site: Site, url: str) -> Site:
    return dataclasses.replace(site, start_urls=(url,))
