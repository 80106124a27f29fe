"""The audit log on the screen: filters in the address, page by page."""

from datetime import datetime
from typing import TypedDict

from flask import Blueprint, render_template, request

from dashboard.frame.asked import beginning, day, ending
from dashboard.frame.context import services
from dashboard.frame.language import catalogue, language
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from store.rules.rights import Right

blueprint = Blueprint("audit", __name__, url_prefix="/audit")

_PREFIX = "audit."


class Wanted(TypedDict):
    """Which entries; None lets every value pass."""

    who: str | None
    action: str | None
    subject: str | None
    token: str | None
    since: datetime | None
    until: datetime | None


@blueprint.get("/")
@needs(Right.AUDIT)
def show() -> str:
    """The entries that the filter lets pass, the newest first."""
    audit, wanted = services().store.audit, _wanted()
    page = paging(audit.count(**wanted))
    entries = audit.find(**wanted, skip=page.skip, limit=SIZE)
    return render_template("system/audit.html", entries=entries, paging=page, form=request.args, actions=_actions())


def _wanted() -> Wanted:
    """The filter in the present address; its days are Beijing's, both inclusive."""

    def given(name: str) -> str | None:
        return request.args.get(name, "").strip() or None

    return Wanted(
        who=given("who"),
        action=given("action"),
        subject=given("subject"),
        token=given("token"),
        since=beginning(day("since")),
        until=ending(day("until")),
    )


def _actions() -> list[tuple[str, str]]:
    """Every action that has words, with them."""
    words = catalogue()
    return [
        (key.removeprefix(_PREFIX), words.text(language(), key))
        for key in sorted(words.entries)
        if key.startswith(_PREFIX)
    ]
