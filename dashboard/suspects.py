"""The suspects: cases as a queue to be judged, its filters and its order in the address."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final, TypedDict, TypeVar

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard import triage
from dashboard.casework import MOST, NOTE_LENGTH
from dashboard.language import t
from dashboard.paging import SIZE, paging
from dashboard.permissions import Right, needs
from dashboard.services import services
from store.errors import BadInput
from store.records import CaseOrder, CaseStatus, Level

blueprint = Blueprint("suspects", __name__, url_prefix="/suspects")

E = TypeVar("E", bound=StrEnum)


class YesNo(StrEnum):
    """A question that a filter asks of a case."""

    YES = "yes"
    NO = "no"


class Conditions(TypedDict):
    """What the store is asked for, besides the status."""

    host: str | None
    work_id: str | None
    level: Level | None
    licensed: bool | None
    present: bool | None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cases are wanted, in which order, named as in the address; None lets every value pass."""

    status: CaseStatus | None = None
    host: str | None = None
    work: str | None = None
    level: Level | None = None
    licensed: YesNo | None = None
    present: YesNo | None = None
    order: CaseOrder | None = None  # None: the newest first

    def arguments(self, **changed: str | None) -> dict[str, str]:
        """The filter as an address carries it, some values changed."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changed
        return {name: str(value) for name, value in values.items() if value}

    def conditions(self) -> Conditions:
        """The filter as the store takes it, but for the status."""
        return {
            "host": self.host,
            "work_id": self.work,
            "level": self.level,
            "licensed": _truth(self.licensed),
            "present": _truth(self.present),
        }


CHOICES: Final[dict[str, type[StrEnum]]] = {"level": Level, "licensed": YesNo, "present": YesNo, "order": CaseOrder}


def wanted() -> Filter:
    """The filter in the present address; BadInput for a value that does not exist."""
    return Filter(
        status=_chosen("status", CaseStatus),
        host=request.args.get("host", "").strip().lower() or None,
        work=request.args.get("work") or None,
        level=_chosen("level", Level),
        licensed=_chosen("licensed", YesNo),
        present=_chosen("present", YesNo),
        order=_chosen("order", CaseOrder),
    )


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The queue."""
    return _page(wanted())


@blueprint.post("/decisions")
@needs(Right.DECIDE)
def decide() -> Response | tuple[str, int]:
    """Decide the cases that were ticked; a dismissal needs a reason. The address carries the filter to come back to."""
    chosen = wanted()
    numbers = list(dict.fromkeys(request.form.getlist("case", type=int)))
    reason = request.form.get("reason", "").strip()[: NOTE_LENGTH] or None
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    if len(numbers) > MOST:
        abort(413)
    if not numbers:
        return _page(chosen, refusal=t("suspects.none_ticked")), 400
    if status is CaseStatus.DISMISSED and reason is None:
        return _page(chosen, refusal=t("case.reason_needed"), ticked=numbers), 400
    flash(t(f"suspects.done_{status}", count=len(triage.move(numbers, status, reason).moved)))
    return redirect(_address(chosen), 303)


@blueprint.post("/undo")
@needs(Right.DECIDE)
def undo() -> Response:
    """Take the last decision of this reader back."""
    undone = triage.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(_address(wanted()), 303)


def _page(chosen: Filter, *, refusal: str | None = None, ticked: list[int] | None = None) -> str:
    store = services().store
    conditions = chosen.conditions()
    found = store.cases.count_by_status(**conditions)
    counts: dict[CaseStatus | None, int] = {None: sum(found.values())} | {
        status: found.get(status, 0) for status in CaseStatus
    }
    page = paging(counts[chosen.status])
    work = store.works.many([chosen.work]).get(chosen.work) if chosen.work else None
    order = chosen.order or CaseOrder.NEWEST
    return render_template(
        "suspects.html",
        cases=store.cases.find(status=chosen.status, **conditions, order=order, skip=page.skip, limit=SIZE),
        filter=chosen,
        choices=CHOICES,
        counts=counts,
        work=work,
        hosts=[host for host, _ in store.cases.top("page_host", 30)],
        paging=page,
        refusal=refusal,
        ticked=ticked or [],
        undoable=triage.undoable(),
    )


def _address(chosen: Filter) -> str:
    arguments = chosen.arguments(page=request.args.get("page"))
    return url_for("suspects.find", _external=False, **arguments)


def _chosen(name: str, kind: type[E]) -> E | None:
    given = request.args.get(name, "")
    try:
        return kind(given) if given else None
    except ValueError:
        raise BadInput(f"no such {name}: {given[:40]!r}; use {', '.join(kind)}") from None


def _truth(answer: YesNo | None) -> bool | None:
    return None if answer is None else answer is YesNo.YES
