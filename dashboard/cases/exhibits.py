"""Exhibits of a case: asked for by a button, listed, taken away."""

from io import BytesIO

from flask import Blueprint, flash, redirect, send_file, url_for
from werkzeug.wrappers import Response

from dashboard.cases.suspect_filter import wanted
from dashboard.frame.context import acting
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.evidence import exhibits
from store.rules.rights import Right

blueprint = Blueprint("exhibits", __name__, url_prefix="/cases")
TYPE = "application/wacz"


@blueprint.post("/<int:number>/exhibits")
@needs(Right.EXPORT)
def ask(number: int) -> Response:
    """Have one made."""
    exhibits.ask(acting(), number)
    flash(t("exhibits.asked"))
    address = url_for("case.show", number=number, _external=False, **wanted().arguments())
    return redirect(f"{address}#exhibits", 303)


@blueprint.get("/exhibits/<string:id>.wacz")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """The file, with its time stamp where one was given."""
    file = exhibits.hand_out(acting(), id)
    return send_file(BytesIO(file.content), mimetype=TYPE, as_attachment=True, download_name=file.name)
