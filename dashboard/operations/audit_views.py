"""Show the audit log with filters and pages."""

import json
import re
from datetime import datetime
from typing import Final, TypedDict

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.language import language
from dashboard.frame.requests import ROWS_PER_PAGE, current_paging, day_argument, day_end, day_start
from dashboard.frame.security import needs
from wenhen.kit.rights import Right
from wenhen.reports.wording import NO_VALUE, catalogue, format_local_time

audit_log_blueprint = Blueprint("audit", __name__, url_prefix="/audit")

_ACTION_PREFIX = "audit."
_UTC_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


class AuditFilter(TypedDict):
    """The conditions of the entries to list. None accepts every value."""

    who: str | None
    action: str | None
    subject: str | None
    token: str | None
    sha256: str | None
    since: datetime | None
    until: datetime | None


@audit_log_blueprint.get("/")
@needs(Right.AUDIT)
def show() -> str:
    """Show the entries that match the filter, newest first."""
    audit, wanted = services().store.audit, _requested_filter()
    page = current_paging(audit.count(**wanted))
    entries = audit.find(**wanted, skip=page.skip, limit=ROWS_PER_PAGE)
    return render_template(
        "system/audit.html", entries=entries, paging=page, form=request.args, actions=_action_names()
    )


@audit_log_blueprint.app_template_filter("logged")
def format_logged_value(value: str | None) -> str:
    """Format an old or new value: one field a line, times in Beijing. The stored entry keeps the exact value."""
    if value is None:
        return NO_VALUE
    try:
        fields = json.loads(value)
    except ValueError:
        return value
    if not isinstance(fields, dict):
        return value
    return "\n".join(f"{name}: {_format_logged_field(field)}" for name, field in fields.items())


def _format_logged_field(value: object) -> str:
    if value is None:
        return NO_VALUE
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return format_local_time(datetime.fromisoformat(value)) if _UTC_MOMENT.fullmatch(value) else value


def _requested_filter() -> AuditFilter:
    """Parse the filter in the current address. Its days are in Beijing time, and both are inclusive."""

    def argument(name: str) -> str | None:
        return request.args.get(name, "").strip() or None

    return AuditFilter(
        who=argument("who"),
        action=argument("action"),
        subject=argument("subject"),
        token=argument("token"),
        sha256=(argument("sha256") or "").lower() or None,
        since=day_start(day_argument("since")),
        until=day_end(day_argument("until")),
    )


def _action_names() -> list[tuple[str, str]]:
    """Return all actions with a label, and their labels."""
    words = catalogue()
    return [
        (key.removeprefix(_ACTION_PREFIX), words.text(language(), key))
        for key in sorted(words.entries)
        if key.startswith(_ACTION_PREFIX)
    ]
