"""When a site is crawled next."""

import math
from datetime import datetime, timedelta

from croniter import CroniterBadDateError, croniter

from store.errors import BadInput
from store.records import Site
from store.rules.china_time import CHINA

ANY_DAY = datetime(2026, 1, 1, tzinfo=CHINA)


def next_due(site: Site, now: datetime) -> datetime:
    """The first time of its schedule after now. Those that went by meanwhile are made up for by one crawl, so they do
    not count; an interval keeps its beat, counted from the time that was due.
    """
    if site.cron:
        following: datetime = croniter(site.cron, now.astimezone(CHINA)).get_next(datetime)
        return following
    every = timedelta(hours=site.interval_hours)
    return site.due + every * max(1, math.floor((now - site.due) / every) + 1)


def checked_cron(written: str) -> str:
    """A schedule in five fields. Raises `BadInput`."""
    fields = " ".join(written.split())
    if len(fields.split(" ")) != 5 or not croniter.is_valid(fields):
        raise BadInput("sites.bad_cron", given=written)
    try:
        croniter(fields, ANY_DAY).get_next(datetime)
    except CroniterBadDateError:
        raise BadInput("sites.no_such_day", given=written) from None
    return fields
