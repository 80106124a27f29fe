"""Divide time into days, weeks and months for charts."""

from collections.abc import Sequence
from datetime import date, timedelta

from wenhen.analysis.model import ChartPeriod, Period


def fill_periods(periods: Sequence[Period], pace: ChartPeriod, first: date, last: date) -> list[Period]:
    """Return the periods from that of `first` to that of `last`, including those without a case."""
    by_start = {period.start: period for period in periods}
    start, wanted = period_start(first, pace), []
    while start <= last:
        wanted.append(by_start.get(start) or Period(start=start, cases={}))
        start = next_period_start(start, pace)
    return wanted


def period_start(day: date, pace: ChartPeriod) -> date:
    """Return the first day of the period of this day.

    >>> period_start(date(2026, 3, 4), ChartPeriod.WEEK).isoformat()
    '2026-03-02'
    >>> period_start(date(2026, 3, 4), ChartPeriod.MONTH).isoformat()
    '2026-03-01'
    """
    if pace is ChartPeriod.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if pace is ChartPeriod.MONTH else day


def next_period_start(start: date, pace: ChartPeriod) -> date:
    """Return the first day of the next period.

    >>> next_period_start(date(2026, 12, 1), ChartPeriod.MONTH).isoformat()
    '2027-01-01'
    """
    if pace is ChartPeriod.MONTH:
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if pace is ChartPeriod.WEEK else 1)


def period_last_day(period: Period, pace: ChartPeriod) -> date:
    """Return the last day of a period."""
    return next_period_start(period.start, pace) - timedelta(days=1)
