"""Write tasks with a deadline as iCalendar (RFC 5545)."""

from collections.abc import Iterable
from datetime import datetime

from flask import url_for
from icalendar import Calendar, Event

from dashboard.frame.language import t
from wenhen.kit.clock import china_day
from wenhen.kit.text import escape_invisible
from wenhen.notices.due_tasks import Task


def write_deadline_calendar(tasks: Iterable[Task], now: datetime) -> bytes:
    """Return a calendar with an all-day event for the day in China of each deadline."""
    calendar = Calendar()
    calendar.add("prodid", "-//wenhen//deadlines//ZH")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", t("feeds.calendar_title"))
    for task in tasks:
        if task.by is not None:
            calendar.add_component(_make_event(task, task.by, now))
    return bytes(calendar.to_ical())


def _make_event(task: Task, by: datetime, now: datetime) -> Event:
    event, address = Event(), _task_address(task)
    matter = task.notice or task.case or task.holder
    event.add("uid", f"{task.what}-{by:%Y%m%d}-{matter}@wenhen")
    event.add("dtstamp", now)
    event.add("dtstart", china_day(by))
    event.add("summary", escape_invisible(f"{t(f'to_do.{task.what}')} · {task.about}"))
    event.add("description", escape_invisible(f"{t('todo.who')}: {task.who or '—'}\n{address}"))
    event.add("url", address)
    event.add("transp", "TRANSPARENT")  # a deadline does not make its day busy
    return event


def _task_address(task: Task) -> str:
    """Return the screen on which the task is done."""
    if task.notice:
        return url_for("notices.show", id=task.notice, _external=True)
    if task.case:
        return url_for("case.show", number=task.case, _external=True)
    return url_for("holders.show", name=task.holder, _external=True)
