"""The history of a page: its captures, and what changed from one to the next."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from flask import Blueprint, abort, render_template

from crawler.capture import RENDERED_HEADERS
from crawler.extract import extract
from dashboard.permissions import Right, needs
from dashboard.services import services
from dashboard.text_diff import differences
from store.errors import NotFound
from store.records import Capture, Case

blueprint = Blueprint("captures", __name__, url_prefix="/cases")

SHOWN: Final = 20
_SOUGHT: Final = 1_000  # captures among which one is looked for


@dataclass(frozen=True, slots=True)
class Fetch:
    """A capture, and what differs from the one before it; None where none came before."""

    capture: Capture
    moment: int  # milliseconds since 1970, by which its address names it
    body_changed: bool | None
    status_changed: bool
    grown: int  # bytes
    shown: bool  # the copy was found in this one


@blueprint.get("/<int:number>/captures/<int:moment>")
@needs(Right.READ)
def show(number: int, moment: int) -> str:
    """What changed in the page's text from the capture before to this one."""
    case = services().store.cases.get(str(number))
    captures = services().store.pages.captures(case.page_id, limit=_SOUGHT)
    at = next((at for at, one in enumerate(captures) if _moment(one) == moment), None)
    if at is None or at + 1 == len(captures):
        abort(404)
    after, before = captures[at], captures[at + 1]
    texts = [_text(one) for one in (before, after)]
    lost = any(text is None for text in texts)
    parts = [] if lost else differences(texts[0] or "", texts[1] or "")
    return render_template("capture.html", case=case, before=before, after=after, lost=lost, parts=parts)


def fetches(case: Case) -> list[Fetch]:
    """The newest captures of the page, each beside the one before it."""
    captures = services().store.pages.captures(case.page_id, limit=SHOWN + 1)
    befores: list[Capture | None] = [*captures[1:], None][: len(captures)]
    rows = [
        Fetch(
            one,
            _moment(one),
            None if before is None else before.body_digest != one.body_digest,
            before is not None and before.status != one.status,
            0 if before is None else one.body_size - before.body_size,
            (one.fetched_at, one.body_digest) == (case.capture.fetched_at, case.capture.body_digest),
        )
        for one, before in zip(captures, befores, strict=True)
    ]
    return rows[:SHOWN]


def _moment(capture: Capture) -> int:
    return round((capture.fetched_at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


def _text(capture: Capture) -> str | None:
    """The main text of a capture; None when the store has lost its body."""
    try:
        body = services().store.blobs.get(capture.rendered_digest or capture.body_digest)
    except NotFound:
        return None
    return extract(body, capture.headers if capture.rendered_digest is None else RENDERED_HEADERS, capture.url).text
