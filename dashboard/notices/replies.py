"""Mails that came to the mailbox of notices: fetched at once, and put to their notice where that is not known."""

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.notices.replies import decisions_on_replies
from services.notices.replies.fetch_mails import fetch
from store.errors import BadInput, NotFound, Unavailable
from store.rules.role_rights import Right

blueprint = Blueprint("replies", __name__, url_prefix="/replies")


@blueprint.post("/fetch")
@needs(Right.PROCEED)
def fetch_now() -> Response:
    """Look into the mailbox now."""
    try:
        found = fetch(acting())
    except (BadInput, Unavailable) as error:
        flash(error.message.text(language()))
    else:
        flash(t("replies.fetched", assigned=found.assigned, waiting=found.waiting, left=found.left))
    return _back()


@blueprint.post("/assign")
@needs(Right.PROCEED)
def assign() -> Response:
    """Put a mail to its notice, or set it aside as of none."""
    id, number = request.form.get("id", ""), request.form.get("notice", "").strip()
    try:
        if request.form.get("aside"):
            decisions_on_replies.set_aside(acting(), id)
        else:
            decisions_on_replies.assign(acting(), id, number)
            return redirect(url_for("notices.show", id=number) + "#answers", 303)
    except (BadInput, NotFound) as error:
        flash(error.message.text(language()))
    return _back()


@blueprint.get("/<string:id>.eml")
@needs(Right.PROCEED)
def mail(id: str) -> Response:
    """A mail as it came."""
    store = services().store
    return as_file(f"{id[:12]}.eml", store.blobs.get(store.replies.get(id).id))


def _back() -> Response:
    return redirect(url_for("notices.find") + "#mails", 303)
