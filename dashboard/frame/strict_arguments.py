"""What an address or a form asks for, read strictly: `BadInput` for a value that does not exist."""

from datetime import date, datetime
from enum import StrEnum
from typing import TypeVar

from flask import request

from store.errors import BadInput
from store.rules import china_time

E = TypeVar("E", bound=StrEnum)
EARLIEST, LATEST = 1900, 2999  # years


def chosen(name: str, kind: type[E]) -> E | None:
    """One of some values out of the address."""
    given = request.args.get(name, "")
    try:
        return kind(given) if given else None
    except ValueError:
        raise BadInput("asked.no_such", name=name, given=repr(given[:40]), choices=", ".join(kind)) from None


def day(name: str) -> date | None:
    """A day out of the address or the form, as YYYY-MM-DD."""
    given = request.values.get(name, "").strip()
    if not given:
        return None
    try:
        found = date.fromisoformat(given)
    except ValueError:
        found = None
    if found is None or not EARLIEST <= found.year <= LATEST:
        raise BadInput("asked.no_day", given=given[:40])
    return found


def beginning(day: date | None) -> datetime | None:
    """The beginning of a day of China, in UTC."""
    return None if day is None else china_time.beginning(day)


def ending(day: date | None) -> datetime | None:
    """The end of a day in Beijing, which is the beginning of the next, in UTC."""
    return None if day is None else china_time.ending(day)
