"""When summaries of alerts go out: at eight in the morning of Beijing, daily, on Mondays, on the first of a month."""

from datetime import datetime, time, timedelta
from typing import Final

from store.records import AlertPace
from store.rules.china_time import CHINA

_AT: Final = time(8, 0)


def last_turn(pace: AlertPace, now: datetime) -> datetime:
    """The last moment, up to now, at which letters of this pace went out.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 5, 1, tzinfo=UTC)
    >>> [str(last_turn(pace, now).date()) for pace in (AlertPace.DAILY, AlertPace.WEEKLY, AlertPace.MONTHLY)]
    ['2026-03-05', '2026-03-02', '2026-03-01']
    >>> str(last_turn(AlertPace.MONTHLY, datetime(2026, 2, 28, 23, 59, tzinfo=UTC)).date())
    '2026-02-01'
    """
    if pace is AlertPace.AT_ONCE:
        return now
    local = now.astimezone(CHINA)
    day = (local if local.time() >= _AT else local - timedelta(days=1)).date()
    if pace is AlertPace.WEEKLY:
        day -= timedelta(days=day.weekday())
    if pace is AlertPace.MONTHLY:
        day = day.replace(day=1)
    return datetime.combine(day, _AT, CHINA)
