"""The suspects: cases as a queue to be judged, its filters and its order in the address."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import decisions
from dashboard.cases.suspect_filter import CHOICES, wanted
from dashboard.frame.calibrated import measured_thresholds
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from dashboard.frame.reasons import worth_text
from services.cases import assignments, saved_filters
from services.cases.case_filter import Filter
from services.cases.decisions import MOST, NOTE_LENGTH
from services.cases.folding import Fold, Folded, folded
from store.errors import BadInput, NotFound
from store.records import Case, CaseConditions, CaseOrder, CaseStatus
from store.rules.mirrors import hosts_counted_as
from store.rules.rights import Right

blueprint = Blueprint("suspects", __name__, url_prefix="/suspects")

LISTED: Final = 5_000  # cases of one list; beyond it nobody reads on, filters do
_UNFOLDED: Final = 6  # cases of one row that are shown in it
_SHARES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)
_BULK: Final = (CaseStatus.CONFIRMED, CaseStatus.DISMISSED, CaseStatus.QUIET, CaseStatus.LEAD)


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """One line of the list: its first case, some more of them, and all their numbers."""

    folded: Folded
    head: Case
    others: list[Case]


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The queue."""
    return _page(wanted())


@blueprint.post("/decisions")
@needs(Right.DECIDE)
def decide() -> Response | tuple[str, int]:
    """Decide on the cases that were ticked, or all of the filter; the address carries the filter to come back to."""
    chosen = wanted()
    numbers = _ticked(chosen)
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    if not numbers:
        return _page(chosen, refusal=t("suspects.none_ticked")), 400
    try:
        decided = decisions.decide(numbers, status, request.form.get("reason"))
    except BadInput as error:
        return _page(chosen, refusal=error.message.text(language()), ticked=numbers), 400
    flash(t(f"suspects.done_{status}", count=len(decided.moved)))
    if decided.stayed:
        flash(t("suspects.stayed", count=len(decided.stayed)))
    return redirect(_address(chosen), 303)


@blueprint.post("/assignments")
@needs(Right.ASSIGN)
def assign() -> Response | tuple[str, int]:
    """Give the ticked cases to somebody, or to nobody."""
    chosen = wanted()
    numbers = _ticked(chosen)
    if not numbers:
        return _page(chosen, refusal=t("suspects.none_ticked")), 400
    done = assignments.assign(acting(), numbers, request.form.get("assignee"))
    flash(
        t("suspects.assigned", count=done.count, name=done.assignee)
        if done.assignee
        else t("suspects.unassigned", count=done.count)
    )
    return redirect(_address(chosen), 303)


@blueprint.post("/undo")
@needs(Right.DECIDE)
def undo() -> Response:
    """Take the last decision of this reader back."""
    undone = decisions.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(_address(wanted()), 303)


@blueprint.post("/filters")
@needs(Right.READ)
def save() -> Response | tuple[str, int]:
    """Keep the present filter under a name, for this reader."""
    chosen = wanted()
    try:
        saved = saved_filters.save(acting(), request.form.get("name", ""), chosen)
    except BadInput as error:
        return _page(chosen, refusal=error.message.text(language())), 400
    flash(t("suspects.saved", name=saved.name))
    return redirect(_address(chosen), 303)


@blueprint.post("/filters/remove")
@needs(Right.READ)
def forget() -> Response:
    """Drop a saved filter of this reader."""
    with suppress(NotFound):  # gone already
        saved_filters.forget(acting(), request.form.get("id", ""))
    return redirect(_address(wanted()), 303)


def _ticked(chosen: Filter) -> list[int]:
    """The numbers that the form names; a folded row names all of its cases, and one box all of the filter."""
    if request.form.get("all"):
        order = chosen.sorted_by
        keys = services().store.cases.keys(**chosen.conditions(acting()), order=order, limit=MOST)
        return [key["number"] for key in keys]
    named = (part for value in request.form.getlist("case") for part in value.split(","))
    return list(dict.fromkeys(int(part) for part in named if part.isascii() and part.isdecimal()))


def _page(chosen: Filter, *, refusal: str | None = None, ticked: list[int] | None = None) -> str:
    store = services().store
    conditions = chosen.conditions(acting())
    any_status: CaseConditions = {**conditions, "status": None}
    found = store.cases.count_by_status(**any_status)
    counts: dict[CaseStatus | None, int] = {None: sum(found.values())} | {
        status: found.get(status, 0) for status in CaseStatus
    }
    order = chosen.sorted_by
    keys = store.cases.keys(**conditions, order=order, limit=LISTED)
    rows = folded(keys, chosen.fold or Fold.CLUSTER, _counted_as(chosen))
    page = paging(len(rows))
    work = store.works.many([chosen.work]).get(chosen.work) if chosen.work else None
    return render_template(
        "suspects.html",
        worth_words=worth_text,
        rows=_rows(rows[page.skip : page.skip + SIZE]),
        filter=chosen,
        choices=CHOICES,
        orders=CaseOrder,
        folds=Fold,
        shares=_SHARES,
        counts=counts,
        listed=len(keys),
        bounded=len(keys) == LISTED,
        thresholds=measured_thresholds(),
        most=MOST,
        note_length=NOTE_LENGTH,
        assignee_length=assignments.ASSIGNEE_LENGTH,
        name_length=saved_filters.NAME_LENGTH,
        bulk=_BULK,
        certain=services().product.settings.matcher.certain_score,
        work=work,
        sites=store.sites.all(),
        saved=saved_filters.saved_filters(acting()),
        query=chosen.query(),
        people=[user.name for user in store.users.all()],
        paging=page,
        refusal=refusal,
        ticked=set(ticked or ()),
        of_group=lambda row: _of_group(chosen, row),
        undoable=decisions.undoable(),
    )


def _counted_as(chosen: Filter) -> Mapping[str, str]:
    """For each mirror the host that it is counted as; where one host was asked for, all that passed count as it."""
    mains = services().store.mirrors.mains()
    return dict.fromkeys(hosts_counted_as(chosen.host, mains), chosen.host) if chosen.host else mains


def _rows(shown: list[Folded]) -> list[SuspectRow]:
    cases = services().store.cases.many([number for row in shown for number in row.numbers[:_UNFOLDED]])
    rows = []
    for row in shown:
        known = [cases[number] for number in row.numbers[:_UNFOLDED] if number in cases]
        if known:  # a case may have gone since it was listed
            rows.append(SuspectRow(row, known[0], known[1:]))
    return rows


def _of_group(chosen: Filter, row: SuspectRow) -> dict[str, str]:
    """The address of the cases of a row that stands for a site or a work."""
    return chosen.arguments(fold=None, **{"host" if chosen.fold is Fold.SITE else "work": row.folded.key})


def _address(chosen: Filter) -> str:
    return url_for("suspects.find", _external=False, **chosen.arguments(page=request.args.get("page")))
