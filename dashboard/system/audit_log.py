"""The audit log on the screen: filters in the address, page by page."""

import json
import re
from datetime import datetime
from typing import Final, TypedDict

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.display import NOTHING, local_time
from dashboard.frame.language import catalogue, language
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day, ending
from store.rules.role_rights import Right

blueprint = Blueprint("audit", __name__, url_prefix="/audit")

_PREFIX = "audit."
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


class Wanted(TypedDict):
    """Which entries; None lets every value pass."""

    who: str | None
    action: str | None
    subject: str | None
    token: str | None
    sha256: str | None
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


@blueprint.app_template_filter("logged")
def logged(value: str | None) -> str:
    """An old or new value to be read: each field on its line, times in Beijing. The log itself stays exact."""
    if value is None:
        return NOTHING
    try:
        fields = json.loads(value)
    except ValueError:
        return value
    if not isinstance(fields, dict):
        return value
    return "\n".join(f"{name}: {_field(field)}" for name, field in fields.items())


def _field(value: object) -> str:
    if value is None:
        return NOTHING
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return local_time(datetime.fromisoformat(value)) if _MOMENT.fullmatch(value) else value


def _wanted() -> Wanted:
    """The filter in the present address; its days are Beijing's, both inclusive."""

    def given(name: str) -> str | None:
        return request.args.get(name, "").strip() or None

    return Wanted(
        who=given("who"),
        action=given("action"),
        subject=given("subject"),
        token=given("token"),
        sha256=(given("sha256") or "").lower() or None,
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
