"""Quiet hours: a window of the day, in Asia/Shanghai, in which nothing is fetched."""

from datetime import datetime, time, timedelta

from services.context import Product
from store.errors import BadInput
from store.records import Site
from store.rules.china_time import CHINA


def quiet(product: Product, site: Site) -> datetime | None:
    """The end of the quiet hours that a site is in now, by the settings or its own, or None."""
    windows = (product.settings.schedule.quiet, site.quiet)
    return max((till for window in windows if (till := quiet_until(window, product.now()))), default=None)


def quiet_until(window: str | None, now: datetime) -> datetime | None:
    """The end of the quiet hours that `now` falls into, or None.

    window: HH:MM-HH:MM, which may reach over midnight.

    >>> from datetime import UTC
    >>> quiet_until("22:00-06:30", datetime(2026, 3, 1, 15, 0, tzinfo=UTC)).isoformat()
    '2026-03-02T06:30:00+08:00'
    """
    if not window:
        return None
    begin, end = window_of(window)
    local = now.astimezone(CHINA)
    for day in (local.date() - timedelta(days=1), local.date()):
        first = datetime.combine(day, begin, CHINA)
        last = datetime.combine(day if begin < end else day + timedelta(days=1), end, CHINA)
        if first <= local < last:
            return last
    return None


def window_of(window: str) -> tuple[time, time]:
    """Both ends of a window. Raises `BadInput`."""
    try:
        begin, end = (time.fromisoformat(part.strip()) for part in window.split("-"))
    except ValueError:
        raise BadInput("sites.bad_quiet", given=window) from None
    if begin == end:
        raise BadInput("sites.quiet_all_day", given=window)
    return begin, end
