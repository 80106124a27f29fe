"""The authorised reprints."""

from datetime import datetime
from typing import Final, NamedTuple

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day
from services import licences
from store.errors import BadInput, NotFound
from store.records import Licence
from store.rules.role_rights import Right

blueprint = Blueprint("licences", __name__, url_prefix="/licences")

_ATTRIBUTION_LENGTH: Final = 500


class LicenceRow(NamedTuple):
    """A licence, whether it is in force, and the cases that it covers."""

    licence: Licence
    state: str
    cases: int
    uncredited: int  # of them, those whose page does not name its source as it has to


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The list, and the form for one more."""
    return _page()


@blueprint.post("/")
@needs(Right.LICENCES)
def add() -> Response | tuple[str, int]:
    """Put a licence on record; the copies that it covers are marked, those found before as well."""
    form = request.form
    try:
        licence = licences.add(
            acting(),
            form.get("licensee", "").strip()[:200],
            form.get("prefix", "").strip()[:500],
            work_id=form.get("work", "").strip() or None,
            valid_from=beginning(day("from")),
            valid_until=beginning(day("until")),
            attribution=form.get("attribution", "").strip()[:_ATTRIBUTION_LENGTH] or None,
        )
    except (BadInput, NotFound) as error:
        return _page(refusal=error.message.text(language())), 400
    flash(t("licences.added", licensee=licence.licensee))
    return redirect(url_for("licences.show"), 303)


@blueprint.post("/remove")
@needs(Right.LICENCES)
def remove() -> Response:
    """Withdraw a licence; what it marked is marked so no more."""
    licences.remove(acting(), request.form.get("id", ""))
    flash(t("licences.removed"))
    return redirect(url_for("licences.show"), 303)


def _page(refusal: str | None = None) -> str:
    store, now = services().store, services().clock()
    found = store.licences.all()
    works = store.works.many({licence.work_id for licence in found if licence.work_id})
    return render_template(
        "works/licences.html",
        rows=[
            LicenceRow(
                licence,
                _state(licence, now),
                store.cases.count(licence_id=licence.id),
                store.cases.count(licence_id=licence.id, credited=False) if licence.attribution else 0,
            )
            for licence in found
        ],
        works=works,
        refusal=refusal,
        form=request.form,
    )


def _state(licence: Licence, now: datetime) -> str:
    if licence.valid_from is not None and now < licence.valid_from:
        return "later"
    return "over" if licence.valid_until is not None and now > licence.valid_until else "valid"
