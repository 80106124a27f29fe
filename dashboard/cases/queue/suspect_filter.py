"""The filter of suspects that the present address asks for."""

from enum import StrEnum
from typing import Final

from flask import request

from dashboard.frame.strict_arguments import chosen, day
from services.cases.case_filter import Band, Counted, Filter, YesNo
from services.cases.folded_lists import Fold
from store.errors import BadInput
from store.records import CaseOrder, CaseStatus, Level

_LENGTH: Final = 200  # characters of a value
CHOICES: Final[dict[str, type[StrEnum]]] = {
    "counted": Counted,
    "level": Level,
    "band": Band,
    "licensed": YesNo,
    "credited": YesNo,
    "present": YesNo,
    "removal": YesNo,
    "returned": YesNo,
}


def wanted() -> Filter:
    """The filter in the present address; BadInput for a value that does not exist."""
    return Filter(
        status=chosen("status", CaseStatus),
        q=_text("q"),
        host=(_text("host") or "").lower() or None,
        site=_text("site"),
        work=request.args.get("work") or None,
        on=_text("on"),
        cluster=_text("cluster"),
        counted=chosen("counted", Counted),
        level=chosen("level", Level),
        band=chosen("band", Band),
        licensed=chosen("licensed", YesNo),
        licence=_text("licence"),
        credited=chosen("credited", YesNo),
        present=chosen("present", YesNo),
        removal=chosen("removal", YesNo),
        returned=chosen("returned", YesNo),
        asked=_text("asked"),
        assignee=_text("assignee"),
        score_from=_share("score_from"),
        score_to=_share("score_to"),
        share_from=_share("share_from"),
        share_to=_share("share_to"),
        since=day("since"),
        until=day("until"),
        order=chosen("order", CaseOrder),
        fold=chosen("fold", Fold),
    )


def _text(name: str) -> str | None:
    return request.args.get(name, "").strip()[:_LENGTH] or None


def _share(name: str) -> float | None:
    given = request.args.get(name, "")
    if not given:
        return None
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise BadInput("cases.share", name=name, given=repr(given[:40]))
    return share
