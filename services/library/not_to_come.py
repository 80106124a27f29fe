"""The day on which a work came out: one that lies ahead was mistyped, or is a plan."""

from datetime import datetime

from store.errors import BadInput
from store.rules.china_time import day_of


def not_to_come(published_at: datetime | None, now: datetime) -> None:
    """Raise `BadInput` for a day of publication after today, which would stand as a fact in notices and reports; later
    today is a clock that differs from ours.
    """
    if published_at is not None and day_of(published_at) > day_of(now):
        raise BadInput("works.to_come", day=day_of(published_at).isoformat(), today=day_of(now).isoformat())
