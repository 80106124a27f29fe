"""The days and times that people mean: those of China. The store keeps UTC."""

from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

CHINA: Final = ZoneInfo("Asia/Shanghai")


def day_of(at: datetime) -> date:
    """The day that a moment falls on.

    >>> day_of(datetime(2026, 3, 5, 17, 30, tzinfo=UTC)).isoformat()
    '2026-03-06'
    """
    return at.astimezone(CHINA).date()


def beginning(day: date) -> datetime:
    """The beginning of a day, in UTC.

    >>> beginning(date(2026, 3, 6)).isoformat()
    '2026-03-05T16:00:00+00:00'
    """
    return datetime(day.year, day.month, day.day, tzinfo=CHINA).astimezone(UTC)


def day_or_moment(at: datetime) -> date:
    """The day alone of what falls on its beginning: there stands a day of which nobody told the hour.

    >>> day_or_moment(beginning(date(2026, 3, 6))), day_or_moment(datetime(2026, 3, 5, 16, 30, tzinfo=UTC))
    (datetime.date(2026, 3, 6), datetime.datetime(2026, 3, 5, 16, 30, tzinfo=datetime.timezone.utc))
    """
    day = day_of(at)
    return day if at == beginning(day) else at


def ending(day: date) -> datetime:
    """The end of a day, which is the beginning of the next, in UTC."""
    return beginning(day + timedelta(days=1))
