"""The notice to whoever runs a site: every confirmed copy of one holder's works there, in one letter to print.

What has to stand in it: Regulation on the Protection of the Right of Communication through Information Networks
(信息网络传播权保护条例), article 14.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import triage
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.cases import TERM
from store.errors import NotFound
from store.records import Case, CaseStatus, Holder, Work
from store.rules.china_time import day_of
from store.rules.rights import Right

blueprint = Blueprint("notice", __name__, url_prefix="/cases")

MOST: Final = 200  # copies of one notice


@dataclass(frozen=True, slots=True)
class Notice:
    """What a notice says; `missing` names what the article asks for and the store does not know."""

    case: Case
    holder: Holder | None
    works: list[Work]
    copies: list[Case]
    deadline: date  # in China
    missing: list[str]

    @property
    def to_send(self) -> list[int]:
        """The numbers of the copies that this notice would be the first for."""
        return [one.number for one in self.copies if one.status is CaseStatus.CONFIRMED]


@blueprint.get("/<int:number>/notice")
@needs(Right.PROCEED)
def show(number: int) -> str:
    """The letter about this case, and about what else the same site has of the same holder."""
    case = services().store.cases.get(str(number))
    return render_template("notice.html", notice=notice_of(case), today=day_of(services().clock()))


@blueprint.post("/<int:number>/notice")
@needs(Right.PROCEED)
def sent(number: int) -> Response:
    """Note that the letter was sent, for the cases that stood in it."""
    case = services().store.cases.get(str(number))
    numbers = [int(one) for one in request.form.getlist("case") if one.isascii() and one.isdecimal()]
    moved = triage.move(numbers, CaseStatus.NOTICE_SENT, None)
    flash(t("suspects.done_notice_sent", count=len(moved.moved)))
    return redirect(url_for("case.show", number=case.number), 303)


def notice_of(case: Case) -> Notice:
    """The notice about a case. Other copies come into it when they are confirmed, still there, and under no licence."""
    store = services().store
    others = store.cases.find(host=case.page_host, status=CaseStatus.CONFIRMED, licensed=False, limit=MOST)
    works = store.works.many({one.work_id for one in [case, *others]})
    mine = works.get(case.work_id)
    owner = mine.owner if mine else None
    still_there = [one for one in others if one.present and one.id != case.id]
    of_holder = [one for one in still_there if owner and _owned(works.get(one.work_id), owner)]
    copies = sorted([case, *of_holder], key=lambda one: one.number)
    concerned = {one.work_id: works[one.work_id] for one in copies if one.work_id in works}
    holder = _holder(owner)
    return Notice(
        case=case,
        holder=holder,
        works=list(concerned.values()),
        copies=copies,
        deadline=day_of(case.deadline or services().clock() + TERM),
        missing=_missing(holder, list(concerned.values())),
    )


def _owned(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _holder(owner: str | None) -> Holder | None:
    if owner is None:
        return None
    try:
        return services().store.holders.get(owner)
    except NotFound:
        return Holder(id=owner)


def _missing(holder: Holder | None, works: list[Work]) -> list[str]:
    asked = {
        "holder": holder,
        "contact": holder and holder.contact,
        "address": holder and holder.address,
        "works": works,
        "published": all(work.published_at or work.proof for work in works),
    }
    return [name for name, value in asked.items() if not value]
