"""The cases of a notice that went out follow it, also where whoever sent it died before they did."""

import logging
from datetime import timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.cases.decisions import decide
from services.context import Product
from services.notices.platforms import delists
from store.errors import Unavailable, WenhenError
from store.records import CaseStatus, DeliveryState, Notice, Sending
from store.rules.role_rights import Right

logger = logging.getLogger(__name__)

_LONGEST: Final = timedelta(minutes=10)  # that it takes


def follow(acting: Acting, notice: Notice) -> None:
    """Move the cases of a notice that was sent; one to a search engine moves none: where the copy is, nothing has
    happened yet. Done twice it moves nothing more.
    """
    taken = _taken(notice)
    if taken and not delists(acting.product, notice.platform):
        last = taken[-1]
        if len(taken) > 1 and _came_back(taken[-2]):  # the clock runs anew
            decide(acting, _of_the_first(acting, notice, last), CaseStatus.CONFIRMED, note=notice.id)
        decide(
            acting,
            notice.case_numbers,
            CaseStatus.NOTICE_SENT,
            note=notice.id,
            notice_at=last.at,
            deadline=notice.deadline,
            of_notice=True,
        )
    acting.product.store.notices.followed(notice.id)


def line_of(notice: Notice) -> Line:
    """What the log tells of a notice that went out."""
    last = _taken(notice)[-1]
    told = {"sent": last.how, "to": last.to, "deadline": notice.deadline}
    files = {"files": [one.told() for one in last.files]} if last.files else {}
    return Line(f"notice:{notice.id}", new=told | files)


@audited("notice.follow")
def follow_late(acting: Acting, notice: Notice) -> Changed[None]:
    """Let the cases follow a notice whose sender died in between, and write the line that was not written."""
    acting.require(Right.PROCEED)
    follow(acting, notice)
    return changed(None, line_of(notice))


def follow_left(product: Product) -> None:
    """Do so for all of them."""
    for notice in product.store.notices.unfollowed(product.now() - _LONGEST):
        try:
            follow_late(Acting(product, _taken(notice)[-1].by, frozenset({Right.PROCEED, Right.DECIDE})), notice)
        except Unavailable:
            raise
        except WenhenError as error:  # a person has to decide: another try would be refused as well
            logger.warning("the cases of notice %s do not follow it: %s", notice.id, error)
            product.store.notices.followed(notice.id)


def _taken(notice: Notice) -> list[Sending]:
    return [one for one in notice.sendings if one.problem is None]


def _came_back(sending: Sending) -> bool:
    return sending.delivery is not None and sending.delivery.state is DeliveryState.FAILED


def _of_the_first(acting: Acting, notice: Notice, last: Sending) -> list[int]:
    """The cases that wait for an answer to what came back."""
    known = acting.product.store.cases.many(notice.case_numbers)
    return [
        number for number, case in known.items() if case.status is CaseStatus.NOTICE_SENT and case.notice_at != last.at
    ]
