"""What happens by itself: unfinished work queued again, sites crawled when due, the library matched anew every day."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, time, timedelta
from functools import partial

from pipeline.library.rematch import start_rematch
from pipeline.matching.calibration import recalibrate
from pipeline.pages.learn_host_templates import forget_templates
from pipeline.pages.page_expiry import expire_pages
from services.archive_retention import drop_old
from services.crawls.recrawls import start_recrawls
from services.crawls.runs import end_rests, start_crawl
from services.crawls.when_due import next_due
from services.reporting.kept_reports import forget_old
from services.upkeep import daily_duties
from services.upkeep.clock_alarm import TICK, note
from store.errors import Conflict, NotFound
from store.records import Subject, SubjectKind
from store.rules.china_time import CHINA
from wenhen.wiring import App

INSTALLED = "installed"
REPLIES = "replies:try"
LISTINGS = "listings:try"
LISTINGS_PAUSE = timedelta(hours=6)
DAILY_TRY = "daily:try"
DAILY_PATIENCE = timedelta(minutes=10)  # before a daily run that was cut short goes on


def tick(app: App) -> None:
    """Start what the clock says. A duty counts as done when it is, so that one which was cut short is done again."""
    note(app, TICK)
    now = app.now()
    end_rests(app)
    if app.settings.schedule.crawls:
        _start_due_crawls(app, now)
        start_recrawls(app, now)
    _have_replies_fetched(app, now)
    _have_listings_looked_up(app, now)
    day = last_daily(now, app.settings.schedule.daily_at)
    if _in_use_since(app, now) <= day:
        _do_daily(app, f"{day:%Y-%m-%d}", now)


def _start_due_crawls(app: App, now: datetime) -> None:
    """As many clocks as like may do this: a run is named by the time that it is for, and a time is moved on once."""
    for site in app.store.sites.due(now):
        with suppress(Conflict, NotFound):
            start_crawl(app, Subject(SubjectKind.SITE, site.id), due=site.due)
        app.store.sites.move_due(site.id, site.due, next_due(site, now))


def _have_replies_fetched(app: App, now: datetime) -> None:
    notice = app.settings.notice
    if notice.imap and app.store.marks.claim(REPLIES, now, timedelta(minutes=notice.imap_minutes)):
        app.queue.replies()


def _have_listings_looked_up(app: App, now: datetime) -> None:
    """Ask search engines again; which notices are due is found then."""
    discover = app.settings.discover
    if discover.can_ask and discover.relook_days and app.store.marks.claim(LISTINGS, now, LISTINGS_PAUSE):
        app.queue.listings()


def _do_daily(app: App, day: str, now: datetime) -> None:
    if not daily_duties.all_done(app, day) and app.store.marks.claim(DAILY_TRY, now, DAILY_PATIENCE):
        daily_duties.do_each(app, day, {name: partial(duty, app) for name, duty in duties_of_day().items()})


def duties_of_day() -> Mapping[str, Callable[[App], object]]:
    """In their order. Each has words under ``health.duty_<name>``."""
    # What reads stamps takes a fifth of a worker's start to import, and is asked for once a day.
    from services.evidence.earlier_stamps import stamp_earlier
    from services.verify_audit_log import stamp_head

    return {
        "pages": expire_pages,
        "templates": forget_templates,
        "captures": drop_old,
        "reports": forget_old,
        "calibration": recalibrate,
        "rematch": start_rematch,
        "log_stamp": stamp_head,
        "exhibit_stamps": stamp_earlier,
        "reading_audit": lambda app: app.queue.audits(),
        "indexes": lambda app: app.queue.tidy(),
    }


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


def _in_use_since(app: App, now: datetime) -> datetime:
    """When this installation was first seen; before that there was no night to make up for."""
    mark = app.store.marks.get(INSTALLED)
    if mark is None:
        app.store.marks.set(INSTALLED, {"at": now})
        return now
    at = mark["at"]
    assert isinstance(at, datetime)
    return at
