"""Manage licences of authorised reprints."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import day_end, day_field, day_start, redirect_to
from dashboard.frame.security import needs
from wenhen.kit.errors import NotFound
from wenhen.kit.rights import Right
from wenhen.licences.model import Licence
from wenhen.licences.service import add_licence, remove_licence
from wenhen.works.model import Work
from wenhen.works.service import find_named_work

licences_blueprint = Blueprint("licences", __name__, url_prefix="/licences")

_MAX_ATTRIBUTION_CHARACTERS: Final = 500


class LicenceRow(NamedTuple):
    """A licence, its state, and the number of cases that it covers."""

    licence: Licence
    state: str
    cases: int
    uncredited: int  # covered cases whose page lacks the required source credit


@licences_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the list, and the form to add a licence."""
    return _render_licences()


@licences_blueprint.post("/")
@needs(Right.LICENCES)
@shows_refusal(lambda refusal: _render_licences(refusal.text(language())), NotFound)
def add() -> Response:
    """Add a licence, and mark the copies that it covers, also those found before."""
    form = request.form
    work = form.get("work", "").strip()
    licence = add_licence(
        current_actor(),
        form.get("licensee", "").strip()[:200],
        form.get("prefix", "").strip()[:500],
        work_id=find_named_work(services().product, work).id if work else None,
        holder=form.get("holder", "").strip()[:200] or None,
        valid_from=day_start(day_field("from")),
        valid_until=day_end(day_field("until")),
        attribution=form.get("attribution", "").strip()[:_MAX_ATTRIBUTION_CHARACTERS] or None,
    )
    return redirect_to("licences.show", t("licences.added", licensee=licence.licensee))


@licences_blueprint.post("/remove")
@needs(Right.LICENCES)
def remove() -> Response:
    """Withdraw a licence, and unmark the copies that it covered."""
    remove_licence(current_actor(), request.form.get("id", ""))
    return redirect_to("licences.show", t("licences.removed"))


def _render_licences(refusal: str | None = None) -> str:
    store, now = services().store, services().clock()
    holder = request.args.get("holder", "").strip()[:200]
    licences = store.licences.all()
    works = store.works.many({licence.work_id for licence in licences if licence.work_id})
    if holder:
        licences = [licence for licence in licences if _concerns(licence, holder, works)]
    return render_template(
        "works/licences.html",
        rows=[
            LicenceRow(
                licence,
                _licence_state(licence, now),
                store.cases.count(licence_id=licence.id),
                store.cases.count(licence_id=licence.id, credited=False) if licence.attribution else 0,
            )
            for licence in licences
        ],
        works=works,
        holder=holder,
        refusal=refusal,
        form=request.form,
    )


def _concerns(licence: Licence, holder: str, works: Mapping[str, Work]) -> bool:
    """Return whether the licence covers works of this holder."""
    if licence.work_id is None:
        return licence.holder in (holder, None)
    return licence.work_id in works and works[licence.work_id].owner == holder


def _licence_state(licence: Licence, now: datetime) -> str:
    if licence.valid_from is not None and now < licence.valid_from:
        return "later"
    return "over" if licence.valid_until is not None and now > licence.valid_until else "valid"
