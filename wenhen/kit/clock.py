"""Tell the time in UTC and in China. Count working days, backoff pauses and retention periods."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

# The time that leases and due times count by; a test turns its own.


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


# The days and times that people mean: those of China. The store keeps UTC.


CHINA: Final = ZoneInfo("Asia/Shanghai")


def china_day(moment: datetime) -> date:
    """The day that a moment falls on.

    >>> china_day(datetime(2026, 3, 5, 17, 30, tzinfo=UTC)).isoformat()
    '2026-03-06'
    """
    return moment.astimezone(CHINA).date()


def start_of_day(day: date) -> datetime:
    """The beginning of a day, in UTC.

    >>> start_of_day(date(2026, 3, 6)).isoformat()
    '2026-03-05T16:00:00+00:00'
    """
    return datetime(day.year, day.month, day.day, tzinfo=CHINA).astimezone(UTC)


def day_or_moment(moment: datetime) -> date:
    """The day alone of what falls on its beginning: there stands a day of which nobody told the hour.

    >>> day_or_moment(start_of_day(date(2026, 3, 6))), day_or_moment(datetime(2026, 3, 5, 16, 30, tzinfo=UTC))
    (datetime.date(2026, 3, 6), datetime.datetime(2026, 3, 5, 16, 30, tzinfo=datetime.timezone.utc))
    """
    day = china_day(moment)
    return day if moment == start_of_day(day) else moment


def end_of_day(day: date) -> datetime:
    """The end of a day, which is the beginning of the next, in UTC."""
    return start_of_day(day + timedelta(days=1))


# Days on which offices work, Monday to Friday.
#
# Public holidays, and the weekends on which China works for them, are announced year by year and not known here: a term
# that spans a holiday ends later than reckoned, so that who keeps the day reckoned here is in time, but for up to a few
# days where a worked weekend falls into it.


def working_days_after(start: datetime, days: int) -> datetime:
    """The same time of day, so many working days of China later."""
    while days > 0:
        start += timedelta(days=1)
        days -= china_day(start).weekday() < 5
    return start


# Pauses that double: how long to wait before something that failed is tried again.


_MAX_DOUBLINGS: Final = 30  # doublings; beyond them no pause of ours is meant


def backoff_pause(first: timedelta, times: int, longest: timedelta) -> timedelta:
    """`first`, doubled so many times, and `longest` at most.

    >>> [str(backoff_pause(timedelta(seconds=20), times, timedelta(hours=6))) for times in (-1, 0, 1, 5, 60)]
    ['0:00:20', '0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """
    return min(first * (1 << min(max(times, 0), _MAX_DOUBLINGS)), longest)


class Backoff(NamedTuple):
    """Before something that failed is tried again.

    >>> [str(DELIVERY_BACKOFF.after(tries)) for tries in (1, 2, 6, 60)]
    ['0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """

    first: timedelta
    longest: timedelta

    def after(self, tries: int) -> timedelta:
        """After so many tries, each longer than the one before."""
        return backoff_pause(self.first, tries - 1, self.longest)


DELIVERY_BACKOFF: Final = Backoff(timedelta(seconds=20), timedelta(hours=6))  # of letters and webhooks
EVIDENCE_BACKOFF: Final = Backoff(timedelta(minutes=1), timedelta(hours=6))  # exhibits and time stamps


# How long what only serves the day's work is kept. What may be evidence is not among it.


DELIVERY_RETENTION: Final = timedelta(days=90)  # to webhooks, and letters of alerts, also those that nobody takes
CRAWL_PROBLEM_RETENTION: Final = timedelta(days=90)  # since they last came up
FONT_RETENTION: Final = timedelta(days=90)
RUN_RETENTION: Final = timedelta(days=400)  # a year can be held against the one before
ALERT_RETENTION: Final = timedelta(days=400)
