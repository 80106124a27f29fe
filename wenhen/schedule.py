"""What happens by itself: unfinished work queued again, sites crawled when due, the library matched anew every day."""

from contextlib import suppress
from datetime import datetime, time, timedelta

from matcher.index.port import Index
from pipeline.library.rematch import end_finished_rematch, start_rematch
from pipeline.matching.calibration import recalibrate
from pipeline.matching.fingerprints import take_out_retired
from pipeline.matching.outdated import remake_outdated
from pipeline.matching.rewriting import lacks_rare_words
from pipeline.pages.expiry import expire_pages
from pipeline.pages.host_templates import apply_new_templates, forget_templates
from pipeline.run_step import records_of
from services.archive import drop_old
from services.audit_chain import stamp_head
from services.clock import SWEEP, TICK, note
from services.crawls.due import next_due
from services.crawls.recrawl import start_recrawls
from services.crawls.runs import end_rests, start_crawl, take_up_lost
from services.evidence.keeping import notice_changes
from services.webhooks.outbox import announce_cases
from store.errors import Conflict, IndexNotReady, NotFound
from store.records import OwnerKind, Step, Subject, SubjectKind
from store.rules.china_time import CHINA
from wenhen.wiring import App

INSTALLED = "installed"
DAILY = "daily"
DAILY_PATIENCE = timedelta(minutes=10)  # before a daily run that was cut short is begun again
TOGETHER = 50  # records of one message
MIGRATION_BATCHES = 20  # of a thousand documents, in one sweep
QUEUE_ROOM = 2000  # a fuller queue needs no help from the sweep


def sweep(app: App) -> None:
    """Queue what is unfinished and forgotten: after a crash, a lost message, an emptied Redis."""
    waiting = app.queue.waiting()
    for kind in OwnerKind:
        if _wants_rebuild(app.index(kind)) or (kind is OwnerKind.WORK and lacks_rare_words(app)):
            app.queue.rebuild(kind)
        with suppress(IndexNotReady):
            take_out_retired(app, kind)
        _queue_due(app, kind, waiting)
        if max(waiting.values()) < QUEUE_ROOM:
            remake_outdated(app, kind)
    app.store.migrate(MIGRATION_BATCHES)
    take_up_lost(app)
    apply_new_templates(app)
    end_finished_rematch(app)
    app.store.cases.wake(app.now())
    announce_cases(app)
    notice_changes(app)
    note(app, SWEEP)


def tick(app: App) -> None:
    """Start what the clock says. A duty counts as done when it is, so that one which was cut short is done again."""
    note(app, TICK)
    now = app.now()
    end_rests(app)
    if app.settings.schedule.crawls:
        _start_due_crawls(app, now)
        start_recrawls(app, now)
    day = last_daily(now, app.settings.schedule.daily_at)
    if _in_use_since(app, now) <= day:
        _do_daily(app, f"{day:%Y-%m-%d}", now)


def _start_due_crawls(app: App, now: datetime) -> None:
    """As many clocks as like may do this: a run is named by the time that it is for, and a time is moved on once."""
    for site in app.store.sites.due(now):
        with suppress(Conflict, NotFound):
            start_crawl(app, Subject(SubjectKind.SITE, site.id), due=site.due)
        app.store.sites.move_due(site.id, site.due, next_due(site, now))


def _do_daily(app: App, day: str, now: datetime) -> None:
    done = app.store.marks.get(DAILY)
    if (done is not None and done["day"] == day) or not app.store.marks.claim(f"{DAILY}:try", now, DAILY_PATIENCE):
        return
    expire_pages(app)
    forget_templates(app)
    drop_old(app)
    recalibrate(app)
    start_rematch(app)
    stamp_head(app)
    app.queue.tidy()
    app.store.marks.set(DAILY, {"day": day})


def last_daily(now: datetime, daily_at: str) -> datetime:
    """The last moment, up to now, at which the daily run was to start; `daily_at` is HH:MM in Asia/Shanghai.

    >>> from datetime import UTC
    >>> last_daily(datetime(2026, 3, 1, 18, 29, tzinfo=UTC), "02:30").isoformat()
    '2026-03-01T02:30:00+08:00'
    >>> last_daily(datetime(2026, 3, 1, 18, 30, tzinfo=UTC), "02:30").isoformat()
    '2026-03-02T02:30:00+08:00'
    """
    local = now.astimezone(CHINA)
    today = datetime.combine(local.date(), time.fromisoformat(daily_at), CHINA)
    return today if today <= local else today - timedelta(days=1)


def _wants_rebuild(index: Index) -> bool:
    """It is missing, or has outgrown its size."""
    try:
        return index.stats().wants_rebuild
    except IndexNotReady:
        return True


def _in_use_since(app: App, now: datetime) -> datetime:
    """When this installation was first seen; before that there was no night to make up for."""
    mark = app.store.marks.get(INSTALLED)
    if mark is None:
        app.store.marks.set(INSTALLED, {"at": now})
        return now
    at = mark["at"]
    assert isinstance(at, datetime)
    return at


def _queue_due(app: App, kind: OwnerKind, waiting: dict[str, int]) -> None:
    records = records_of(app, kind)
    now = app.now()
    room = QUEUE_ROOM - max(waiting.values())
    if room <= 0:
        return
    by_step: dict[Step, list[str]] = {}
    for id, step in records.due(now, room):
        by_step.setdefault(step, []).append(id)
    for step, ids in by_step.items():
        for first in range(0, len(ids), TOGETHER):
            app.queue.steps(kind, ids[first : first + TOGETHER], step)
        records.queued(ids, now + timedelta(seconds=app.settings.worker.lease_seconds))
