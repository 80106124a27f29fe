"""Start what is due by time: crawls, mail and search look-ups, daily duties."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, time, timedelta
from functools import partial

from wenhen.archive.retention import drop_old_captures, store_closed_files
from wenhen.cases.calibration import update_calibration
from wenhen.crawls.service import resume_rested_runs, start_crawl, start_recrawls
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.matching.rematch import start_rematch
from wenhen.pages.extraction import forget_templates
from wenhen.pages.service import expire_pages
from wenhen.reports.service import remove_old_reports
from wenhen.runtime.wiring import App
from wenhen.sites.schedule import next_due
from wenhen.steps.duties import TICK_DUTY, is_day_done, note_duty_done, run_daily_duties

INSTALLED_MARK = "installed"
REPLIES_MARK = "replies:try"
LISTINGS_MARK = "listings:try"
LISTINGS_PAUSE = timedelta(hours=6)
DAILY_MARK = "daily:try"
DAILY_RETRY_PAUSE = timedelta(minutes=10)  # pause before an interrupted daily run continues


def run_schedule(app: App) -> None:
    """Start what is due. A duty is marked as done at its end, so an interrupted one runs again."""
    note_duty_done(app, TICK_DUTY)
    now = app.now()
    resume_rested_runs(app)
    if app.settings.schedule.crawls:
        _start_due_crawls(app, now)
        start_recrawls(app, now)
    _request_replies(app, now)
    _request_listings(app, now)
    day = last_daily_start(now, app.settings.schedule.daily_at)
    if _installed_at(app, now) <= day:
        _run_duties_of_day(app, f"{day:%Y-%m-%d}", now)


def _start_due_crawls(app: App, now: datetime) -> None:
    """Start the due crawls. Several schedulers may run at once: each run has the id of its due time, which moves on
    once.
    """
    for site in app.store.sites.due(now):
        with suppress(Conflict, NotFound):
            start_crawl(app, Subject(SubjectKind.SITE, site.id), due=site.due)
        app.store.sites.move_due(site.id, site.due, next_due(site, now))


def _request_replies(app: App, now: datetime) -> None:
    notice = app.settings.notice
    if notice.imap and app.store.marks.claim(REPLIES_MARK, now, timedelta(minutes=notice.imap_minutes)):
        app.queue.replies()


def _request_listings(app: App, now: datetime) -> None:
    """Request a check of search engine listings. The task finds the notices that are due."""
    discover = app.settings.discover
    if discover.can_ask and discover.relook_days and app.store.marks.claim(LISTINGS_MARK, now, LISTINGS_PAUSE):
        app.queue.listings()


def _run_duties_of_day(app: App, day: str, now: datetime) -> None:
    if not is_day_done(app, day) and app.store.marks.claim(DAILY_MARK, now, DAILY_RETRY_PAUSE):
        run_daily_duties(app, day, {name: partial(duty, app) for name, duty in duties_by_name().items()})


def duties_by_name() -> Mapping[str, Callable[[App], object]]:
    """Return the daily duties in order. Each has a text under ``health.duty_<name>``."""
    # Imported here: the time-stamp modules take a fifth of a worker's start, and are needed once a day.
    from wenhen.archive.integrity import stamp_closed_files
    from wenhen.evidence.exhibit_creation import request_missing_stamps
    from wenhen.operations.audit_verification import stamp_head

    return {
        "pages": expire_pages,
        "templates": forget_templates,
        "captures": drop_old_captures,
        "reports": remove_old_reports,
        "calibration": update_calibration,
        "rematch": start_rematch,
        "log_stamp": stamp_head,
        "exhibit_stamps": request_missing_stamps,
        "archive_stamps": stamp_closed_files,
        "archive_store": store_closed_files,
        "reading_audit": lambda app: app.queue.audits(),
        "indexes": lambda app: app.queue.tidy(),
    }


def last_daily_start(now: datetime, daily_at: str) -> datetime:
    """Return the last time, up to now, at which the daily run was due. daily_at: HH:MM in Asia/Shanghai.

    >>> from datetime import UTC
    >>> last_daily_start(datetime(2026, 3, 1, 18, 29, tzinfo=UTC), "02:30").isoformat()
    '2026-03-01T02:30:00+08:00'
    >>> last_daily_start(datetime(2026, 3, 1, 18, 30, tzinfo=UTC), "02:30").isoformat()
    '2026-03-02T02:30:00+08:00'
    """
    local = now.astimezone(CHINA)
    today = datetime.combine(local.date(), time.fromisoformat(daily_at), CHINA)
    return today if today <= local else today - timedelta(days=1)


def _installed_at(app: App, now: datetime) -> datetime:
    """Return when this installation was first seen. No daily run is made up for before that."""
    mark = app.store.marks.get(INSTALLED_MARK)
    if mark is None:
        app.store.marks.set(INSTALLED_MARK, {"at": now})
        return now
    installed_at = mark["at"]
    assert isinstance(installed_at, datetime)
    return installed_at
