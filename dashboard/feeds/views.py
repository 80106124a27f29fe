"""Answer the secret addresses of feeds: deadlines as iCalendar (RFC 5545), cases as Atom (RFC 4287).

The token in the path stands for its owner.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from flask import Blueprint, Response, abort, g, request, url_for
from icalendar import Calendar, Event

from dashboard.frame.context import LANGUAGES, language, services, t
from dashboard.frame.security import limiter, open_to_all
from wenhen.accounts.sessions import find_bearer
from wenhen.cases.model import Case, CaseOrder, CaseStatus
from wenhen.kit.clock import china_day
from wenhen.kit.rights import Right
from wenhen.kit.text import escape_invisible
from wenhen.notices.due_tasks import Task, list_tasks


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


ATOM: Final = "http://www.w3.org/2005/Atom"
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)  # of a feed without cases


def write_case_feed(cases: Sequence[Case], home: str) -> bytes:
    """Return a feed with an entry for each case. `home` is the address of the dashboard."""
    feed = Element("feed", {"xmlns": ATOM, "xml:lang": LANGUAGES[language()]})
    _add(feed, "title", t("feeds.cases_title"))
    _add(feed, "id", f"{home}#cases")
    _add(feed, "updated", _moment(max((case.opened_at for case in cases), default=_EPOCH)))
    author = SubElement(feed, "author")
    _add(author, "name", "wenhen")
    SubElement(feed, "link", rel="alternate", href=url_for("suspects.find", _external=True))
    for case in cases:
        feed.append(_make_entry(case))
    return bytes(tostring(feed, encoding="utf-8", xml_declaration=True))


def _make_entry(case: Case) -> Element:
    entry, address = Element("entry"), url_for("case.show", number=case.number, _external=True)
    _add(entry, "title", f"#{case.number} {case.work_title} · {case.page_host}")
    _add(entry, "id", address)
    _add(entry, "updated", _moment(case.opened_at))
    SubElement(entry, "link", rel="alternate", href=address)
    _add(entry, "summary", f"{case.page_title or ''}\n{case.page_url}".strip())
    return entry


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = escape_invisible(text)


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


feeds_blueprint = Blueprint("feeds", __name__, url_prefix="/feeds")

_MAX_CASES: Final = 50  # newest leads
_CALLS: Final = "60 per minute"  # of one network; readers ask every few minutes at most
# What the owner of the token has to be allowed, as on the screen with the same list.
CALENDAR_RIGHT: Final = Right.PROCEED
CASES_RIGHT: Final = Right.READ


@feeds_blueprint.get("/<string:token>.ics")
@open_to_all
@limiter.limit(_CALLS)
def calendar(token: str) -> Response:
    """Return the deadlines as iCalendar."""
    _require_feed_token(token, CALENDAR_RIGHT)
    product = services().product
    tasks = [task for task in list_tasks(product) if task.by is not None]
    return _feed_response(write_deadline_calendar(tasks, product.now()), "text/calendar", repr(tasks))


@feeds_blueprint.get("/<string:token>.atom")
@open_to_all
@limiter.limit(_CALLS)
def cases(token: str) -> Response:
    """Return the newest leads as Atom."""
    _require_feed_token(token, CASES_RIGHT)
    newest = services().store.cases.find(status=CaseStatus.LEAD, order=CaseOrder.NEWEST, limit=_MAX_CASES)
    body = write_case_feed(newest, url_for("overview.show", _external=True))
    return _feed_response(body, "application/atom+xml", body.decode())


def _require_feed_token(text: str, right: Right) -> None:
    """Refuse all but a valid token for feeds alone, whose owner still has the right.

    An address may leak from a calendar. So a token that may do more is no feed address.
    """
    bearer = find_bearer(services().product, text)
    if bearer is None or bearer[2] != {Right.FEED} or right not in bearer[1].rights:
        abort(404)
    g.account = bearer[1]  # the services are those of the owner from here on


def _feed_response(body: bytes, type: str, state: str) -> Response:
    """Return the feed, or 304 if the reader has this state in this language."""
    response = Response(body, content_type=f"{type}; charset=utf-8")
    digest = sha256(f"{language()}\n{state}".encode("utf-8", "replace")).hexdigest()
    response.set_etag(digest[:32], weak=True)  # weak: a calendar also tells when it was written
    response.make_conditional(request)
    return response
