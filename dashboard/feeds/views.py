"""Answer the secret addresses of feeds: the token in the path stands for its owner."""

from hashlib import sha256
from typing import Final

from flask import Blueprint, abort, request, url_for
from werkzeug.wrappers import Response

from dashboard.feeds.atom import write_case_feed
from dashboard.feeds.calendar import write_deadline_calendar
from dashboard.frame.context import services
from dashboard.frame.language import language
from dashboard.frame.security import limiter, open_to_all
from wenhen.accounts.sessions import find_bearer
from wenhen.cases.model import CaseOrder, CaseStatus
from wenhen.kit.rights import RIGHTS, Right
from wenhen.notices.due_tasks import list_tasks

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
    if bearer is None or bearer[2] != {Right.FEED} or right not in RIGHTS[bearer[1].role]:
        abort(404)


def _feed_response(body: bytes, type: str, state: str) -> Response:
    """Return the feed, or 304 if the reader has this state in this language."""
    response = Response(body, content_type=f"{type}; charset=utf-8")
    digest = sha256(f"{language()}\n{state}".encode("utf-8", "replace")).hexdigest()
    response.set_etag(digest[:32], weak=True)  # weak: a calendar also tells when it was written
    return response.make_conditional(request)
