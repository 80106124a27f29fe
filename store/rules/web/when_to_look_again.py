"""When a page is looked at again: sooner if it changed since the last look, later if it did not."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from store.records import Page

DAY: Final = 24.0  # hours
SOONEST: Final = 1.0  # hours between two looks at one page
LATEST: Final = 14 * DAY
CHANGED, SAME = 0.5, 1.5  # what the time between two looks is multiplied with


class Look(NamedTuple):
    """The next look at a page."""

    interval_hours: float  # between the look before it and this one
    look_at: datetime


def first_look(at: datetime, hours: float) -> Look:
    """After a page was seen for the first time; hours: how often its site is looked at."""
    hours = min(max(hours, SOONEST), LATEST)
    return Look(hours, at + timedelta(hours=hours))


def next_look(hours: float, at: datetime, *, changed: bool) -> Look:
    """After a look at a page that is known; hours: what lay between that look and the one before."""
    return first_look(at, hours * (CHANGED if changed else SAME))


def is_due(page: Page, now: datetime, *, below: float | None = None) -> bool:
    """Whether a page that is there is due; with `below` only one looked at more often than every so many hours."""
    due = page.gone_at is None and page.look_at is not None and page.look_at <= now
    return due and (below is None or page.interval_hours < below)
