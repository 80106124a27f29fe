"""The audit log on the screen: filters in the address, page by page."""

from datetime import UTC, datetime, timedelta
from typing import TypedDict

from flask import Blueprint, render_template, request

from dashboard.display import BEIJING
from dashboard.language import catalogue, language
from dashboard.paging import SIZE, paging
from dashboard.permissions import Right, needs
from dashboard.services import services
from store.errors import BadInput

blueprint = Blueprint("audit", __name__, url_prefix="/audit")

_PREFIX = "audit."


class Wanted(TypedDict):
    """Which entries; None lets every value pass."""

    who: str | None
    action: str | None
    subject: str | None
    since: datetime | None
    until: datetime | None


@blueprint.get("/")
@needs(Right.AUDIT)
def show() -> str:
    """The entries that the filter lets pass, the newest first."""
    audit, wanted = services().store.audit, _wanted()
    page = paging(audit.count(**wanted))
    entries = audit.find(**wanted, skip=page.skip, limit=SIZE)
    return render_template("audit.html", entries=entries, paging=page, form=request.args, actions=_actions())


def _wanted() -> Wanted:
    """The filter in the present address; its days are Beijing's, both inclusive."""

    def given(name: str) -> str | None:
        return request.args.get(name, "").strip() or None

    return Wanted(
        who=given("who"),
        action=given("action"),
        subject=given("subject"),
        since=_day("since"),
        until=_day("until", timedelta(days=1)),
    )


def _day(name: str, more: timedelta = timedelta()) -> datetime | None:
    given = request.args.get(name, "").strip()
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=BEIJING).astimezone(UTC) + more if given else None
    except (ValueError, OverflowError):
        raise BadInput(f"{name}: {given[:40]!r} is no day; write YYYY-MM-DD") from None


def _actions() -> list[tuple[str, str]]:
    """Every action that has words, with them."""
    words = catalogue()
    return [
        (key.removeprefix(_PREFIX), words.text(language(), key))
        for key in sorted(words.entries)
        if key.startswith(_PREFIX)
    ]
