"""The notice to whoever runs a site, as a letter to print."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import readers_decisions
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.notices.notice_subject import notice_about
from services.notices.platforms import platforms
from services.notices.sent_and_answered import of_case
from store.records import CaseStatus
from store.rules.china_time import day_of
from store.rules.role_rights import Right

blueprint = Blueprint("notice", __name__, url_prefix="/cases")


@blueprint.get("/<int:number>/notice")
@needs(Right.PROCEED)
def show(number: int) -> str:
    """The letter about this case, and about what else the same site has of the same holder."""
    notice = notice_about(services().product, services().store.cases.get(str(number)))
    return render_template(
        "notices/notice.html",
        notice=notice,
        today=day_of(services().clock()),
        platforms=platforms(services().product),
        written=of_case(services().product, number),
    )


@blueprint.post("/<int:number>/notice")
@needs(Right.PROCEED)
def sent(number: int) -> Response:
    """Note that the letter was sent, for the cases that stood in it."""
    case = services().store.cases.get(str(number))
    numbers = [int(one) for one in request.form.getlist("case") if one.isascii() and one.isdecimal()]
    decided = readers_decisions.decide(numbers, CaseStatus.NOTICE_SENT)
    flash(t("suspects.done_notice_sent", count=len(decided.moved)))
    return redirect(url_for("case.show", number=case.number), 303)
