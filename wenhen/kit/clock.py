"""Tell the time in UTC and in China. Count working days, backoff pauses and retention periods."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

# The clock of leases and due times. Tests replace it.


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


# Days and times of people are those of China. The store keeps UTC.


CHINA: Final = ZoneInfo("Asia/Shanghai")


def china_day(moment: datetime) -> date:
    """Return the day in China of a moment.

    >>> china_day(datetime(2026, 3, 5, 17, 30, tzinfo=UTC)).isoformat()
    '2026-03-06'
    """
    return moment.astimezone(CHINA).date()


def start_of_day(day: date) -> datetime:
    """Return the beginning of a day in China, in UTC.

    >>> start_of_day(date(2026, 3, 6)).isoformat()
    '2026-03-05T16:00:00+00:00'
    """
    return datetime(day.year, day.month, day.day, tzinfo=CHINA).astimezone(UTC)


def day_or_moment(moment: datetime) -> date:
    """Return the day of a moment at the beginning of a day, which stands for a day without a time; else the moment.

    >>> day_or_moment(start_of_day(date(2026, 3, 6))), day_or_moment(datetime(2026, 3, 5, 16, 30, tzinfo=UTC))
    (datetime.date(2026, 3, 6), datetime.datetime(2026, 3, 5, 16, 30, tzinfo=datetime.timezone.utc))
    """
    day = china_day(moment)
    return day if moment == start_of_day(day) else moment


PUBLICATION_FIELDS: Final = frozenset(("published_at", "first_published"))  # of records: many know only the day


def end_of_day(day: date) -> datetime:
    """Return the end of a day, which is the beginning of the next, in UTC."""
    return start_of_day(day + timedelta(days=1))


# Working days: Monday to Friday. Public holidays and working weekends are announced every year and are not known here.
# A term that spans a holiday really ends later, so the computed day is safe. With a working weekend it really ends up
# to a few days earlier.


def working_days_after(start: datetime, days: int) -> datetime:
    """Return the same time of day, `days` working days of China later."""
    while days > 0:
        start += timedelta(days=1)
        days -= china_day(start).weekday() < 5
    return start


# Exponential backoff: pauses between tries that double.


_MAX_DOUBLINGS: Final = 30  # maximum number of doublings; no pause needs more


def backoff_pause(first: timedelta, times: int, longest: timedelta) -> timedelta:
    """Return `first`, doubled `times` times, and at most `longest`.

    >>> [str(backoff_pause(timedelta(seconds=20), times, timedelta(hours=6))) for times in (-1, 0, 1, 5, 60)]
    ['0:00:20', '0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """
    return min(first * (1 << min(max(times, 0), _MAX_DOUBLINGS)), longest)


class Backoff(NamedTuple):
    """Exponential backoff between tries.

    >>> [str(DELIVERY_BACKOFF.after(tries)) for tries in (1, 2, 6, 60)]
    ['0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """

    first: timedelta
    longest: timedelta

    def after(self, tries: int) -> timedelta:
        """Return the pause after this many tries."""
        return backoff_pause(self.first, tries - 1, self.longest)


DELIVERY_BACKOFF: Final = Backoff(timedelta(seconds=20), timedelta(hours=6))  # for mails and webhooks
EVIDENCE_BACKOFF: Final = Backoff(timedelta(minutes=1), timedelta(hours=6))  # for exhibits and time stamps


# Retention periods of operational data. Evidence is not deleted by them.


DELIVERY_RETENTION: Final = timedelta(days=90)  # for webhook deliveries and alert mails, delivered or not
CRAWL_PROBLEM_RETENTION: Final = timedelta(days=90)  # since the last occurrence
FONT_RETENTION: Final = timedelta(days=90)
RUN_RETENTION: Final = timedelta(days=400)  # long enough to compare a year with the year before
ALERT_RETENTION: Final = timedelta(days=400)
