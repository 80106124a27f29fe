"""The papers of a rights holder: kept, taken away, removed."""

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import day
from dashboard.frame.uploads import sent
from dashboard.works import holders
from services.holders import papers
from store.errors import BadInput
from store.records import PaperKind
from store.rules.role_rights import Right

blueprint = Blueprint("papers", __name__, url_prefix="/holders/papers")


@blueprint.post("/")
@needs(Right.HOLDERS)
def add() -> Response | tuple[str, int]:
    """Keep a paper, with or without a file."""
    holder = request.form.get("id", "")
    try:
        kind = PaperKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        papers.add(
            acting(),
            holder,
            kind,
            request.form.get("title", "") or t(f"paper.{kind}"),
            valid_from=day("valid_from"),
            valid_until=day("valid_until"),
            file=next(iter(sent("file")), None),
        )
    except BadInput as error:
        return holders.page(holder, refusal=error.message.text(language())), 400
    flash(t("papers.kept", kind=t(f"paper.{kind}")))
    return redirect(url_for("holders.show", name=holder) + "#papers", 303)


@blueprint.post("/remove")
@needs(Right.HOLDERS)
def remove() -> Response:
    """Forget a paper."""
    holder, _, id = request.form.get("id", "").rpartition("/")
    papers.remove(acting(), holder, id)
    flash(t("holders.removed"))
    return redirect(url_for("holders.show", name=holder) + "#papers", 303)


@blueprint.get("/file")
@needs(Right.HOLDERS)
def hand_out() -> Response:
    """The file, as bytes to be kept: no browser opens what somebody sent as a page of ours."""
    file = papers.hand_out(acting(), request.args.get("name", ""), request.args.get("id", ""))
    return as_file(file.name, file.content)
