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
    """The letter about this case, and about what else the same site has of the same holder, to a receiver."""
    return render_notice_preview(services().store.cases.get(str(number)))


def render_notice_preview(case: Case, refusal: Message | None = None) -> str:
    """The letter as it would be written now. refusal: why it was not written, or its cases not moved."""
    product, asked = services().product, request.values.get("platform") or None
    return render_template(
        "notices/notice.html",
        notice=make_notice_subject(product, case, get_platform(product, asked) if asked else None),
        asked=asked,
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
    """Note that the letter was sent, for the cases that stood in it."""
    case = services().store.cases.get(str(number))
    numbers = [int(number) for number in request.form.getlist("case") if number.isascii() and number.isdecimal()]
    try:
        decided = record_decision(numbers, CaseStatus.NOTICE_SENT)
    except BadInput as error:
        return render_notice_preview(case, error.message), 400
    flash(t("suspects.done_notice_sent", count=len(decided.moved)))
    return redirect(url_for("case.show", number=case.number), 303)


# Mails that came to the mailbox of notices: fetched at once, and put to their notice where that is not known.


replies_blueprint = Blueprint("replies", __name__, url_prefix="/replies")


@replies_blueprint.post("/fetch")
@needs(Right.PROCEED)
def fetch_now() -> Response:
    """Look into the mailbox now."""
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
    """Put a mail to its notice, or set it aside as of none."""
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
    """A mail as it came."""
    store = services().store
    return file_response(f"{id[:12]}.eml", store.blobs.get(store.replies.get(id).id))


def _back_to_notices() -> Response:
    return redirect(url_for("notices.find") + "#mails", 303)
