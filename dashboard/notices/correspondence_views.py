"""Print the notice of a case as a letter, and assign incoming mails to notices."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.selection import record_decision
from dashboard.frame.context import current_actor, fix_link, services
from dashboard.frame.language import language, t
from dashboard.frame.requests import file_response
from dashboard.frame.security import needs
from wenhen.cases.model import Case, CaseStatus
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Message, NotFound, Unavailable
from wenhen.kit.rights import Right
from wenhen.notices.content import make_notice_subject
from wenhen.notices.mailbox import fetch_reply_mails
from wenhen.notices.platforms import all_platforms, get_platform
from wenhen.notices.replies import assign_reply, dismiss_reply
from wenhen.notices.sending import find_case_notices

letter_blueprint = Blueprint("notice", __name__, url_prefix="/cases")


@letter_blueprint.get("/<int:number>/notice")
@needs(Right.PROCEED)
def show(number: int) -> str:
    """Show the letter to a receiver about this case and other cases of the same site and holder."""
    return render_notice_preview(services().store.cases.get(str(number)))


def render_notice_preview(case: Case, refusal: Message | None = None) -> str:
    """Render the letter as of now.

    `refusal` says why the notice was not written, or why its cases did not move.
    """
    product, platform = services().product, request.values.get("platform") or None
    return render_template(
        "notices/notice.html",
        notice=make_notice_subject(product, case, get_platform(product, platform) if platform else None),
        asked=platform,
        today=china_day(services().clock()),
        platforms=all_platforms(product),
        written=find_case_notices(product, case.number),
        two=product.settings.notice.two_persons,
        refusal=refusal,
        mend=fix_link(refusal) if refusal else None,
    )


@letter_blueprint.post("/<int:number>/notice")
@needs(Right.PROCEED)
def sent(number: int) -> Response | tuple[str, int]:
    """Record that the letter was sent for the cases that it lists."""
    case = services().store.cases.get(str(number))
    numbers = [int(number) for number in request.form.getlist("case") if number.isascii() and number.isdecimal()]
    try:
        decided = record_decision(numbers, CaseStatus.NOTICE_SENT)
    except BadInput as error:
        return render_notice_preview(case, error.message), 400
    flash(t("suspects.done_notice_sent", count=len(decided.moved)))
    return redirect(url_for("case.show", number=case.number), 303)


# Mails in the mailbox for notices: fetched immediately, and assigned by hand if their notice is unknown.


replies_blueprint = Blueprint("replies", __name__, url_prefix="/replies")


@replies_blueprint.post("/fetch")
@needs(Right.PROCEED)
def fetch_now() -> Response:
    """Fetch new mails from the mailbox."""
    try:
        reply_mails = fetch_reply_mails(current_actor())
    except (BadInput, Unavailable) as error:
        flash(error.message.text(language()), "refused")
    else:
        flash(t("replies.fetched", assigned=reply_mails.assigned, waiting=reply_mails.waiting, left=reply_mails.left))
    return _back_to_notices()


@replies_blueprint.post("/assign")
@needs(Right.PROCEED)
def assign() -> Response:
    """Assign a mail to its notice, or dismiss it."""
    id, number = request.form.get("id", ""), request.form.get("notice", "").strip()
    try:
        if request.form.get("aside"):
            dismiss_reply(current_actor(), id)
        else:
            assign_reply(current_actor(), id, number)
            return redirect(url_for("notices.show", id=number) + "#answers", 303)
    except (BadInput, NotFound) as error:
        flash(error.message.text(language()), "refused")
    return _back_to_notices()


@replies_blueprint.get("/<string:id>.eml")
@needs(Right.PROCEED)
def mail(id: str) -> Response:
    """Download a mail unchanged."""
    store = services().store
    return file_response(f"{id[:12]}.eml", store.blobs.get(store.replies.get(id).id))


def _back_to_notices() -> Response:
    return redirect(url_for("notices.find") + "#mails", 303)
