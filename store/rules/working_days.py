"""Days on which offices work, Monday to Friday.

Public holidays, and the weekends on which China works for them, are announced year by year and not known here: a term
that spans a holiday ends later than reckoned, so that who keeps the day reckoned here is in time, but for up to a few
days where a worked weekend falls into it.
"""

from datetime import datetime, timedelta

from store.rules.china_time import day_of


def working_days_after(start: datetime, days: int) -> datetime:
    """The same time of day, so many working days of China later."""
    while days > 0:
        start += timedelta(days=1)
        days -= day_of(start).weekday() < 5
    return start
