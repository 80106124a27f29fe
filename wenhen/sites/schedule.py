"""Compute when a site is crawled next, and when its quiet hours end."""

import math
from datetime import datetime, time, timedelta

from croniter import CroniterBadDateError, croniter

from wenhen.context.use_cases import Product
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput
from wenhen.sites.model import Site

SAMPLE_DAY = datetime(2026, 1, 1, tzinfo=CHINA)


def next_due(site: Site, now: datetime) -> datetime:
    """Return the first scheduled time after `now`.

    Missed times are skipped, because one crawl replaces them. An interval is counted from the last due time.
    """
    if site.cron:
        following: datetime = croniter(site.cron, now.astimezone(CHINA)).get_next(datetime)
        return following
    every = timedelta(hours=site.interval_hours)
    return site.due + every * max(1, math.floor((now - site.due) / every) + 1)


def check_cron(written: str) -> str:
    """Normalize and check a cron expression of five fields. Raises `BadInput`."""
    fields = " ".join(written.split())
    if len(fields.split(" ")) != 5 or not croniter.is_valid(fields):
        raise BadInput("sites.bad_cron", given=written)
    try:
        croniter(fields, SAMPLE_DAY).get_next(datetime)
    except CroniterBadDateError:
        raise BadInput("sites.no_such_day", given=written) from None
    return fields


# Quiet hours are a time window of the day in Asia/Shanghai without requests.


def current_quiet_end(product: Product, site: Site) -> datetime | None:
    """Return the end of the current quiet hours of the settings or the site, or None."""
    windows = (product.settings.schedule.quiet, site.quiet)
    return max((till for window in windows if (till := quiet_hours_end(window, product.now()))), default=None)


def quiet_hours_end(window: str | None, now: datetime) -> datetime | None:
    """Return the end of the quiet hours that contain `now`, or None.

    window: HH:MM-HH:MM, which may span midnight.

    >>> from datetime import UTC
    >>> quiet_hours_end("22:00-06:30", datetime(2026, 3, 1, 15, 0, tzinfo=UTC)).isoformat()
    '2026-03-02T06:30:00+08:00'
    """
    if not window:
        return None
    begin, end = parse_quiet_window(window)
    local = now.astimezone(CHINA)
    for day in (local.date() - timedelta(days=1), local.date()):
        first = datetime.combine(day, begin, CHINA)
        last = datetime.combine(day if begin < end else day + timedelta(days=1), end, CHINA)
        if first <= local < last:
            return last
    return None


def parse_quiet_window(window: str) -> tuple[time, time]:
    """Parse a window into its start and end. Raises `BadInput`."""
    try:
        begin, end = (time.fromisoformat(part.strip()) for part in window.split("-"))
    except ValueError:
        raise BadInput("sites.bad_quiet", given=window) from None
    if begin == end:
        raise BadInput("sites.quiet_all_day", given=window)
    return begin, end
