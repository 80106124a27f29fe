"""A case beside the queue: what it is about, and its longest passages."""

from typing import Final

from flask import Blueprint, render_template

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.cases.side_by_side.changes import pair
from dashboard.cases.side_by_side.panes import Piece
from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from dashboard.frame.reason_words import worth_text
from matcher.verdict.copied_shares import Side, copied
from services.cases.removed_works import removed_works
from store.errors import NotFound
from store.records import Case, Passage
from store.rules.role_rights import Right

blueprint = Blueprint("preview", __name__, url_prefix="/suspects/preview")

_PASSAGES: Final = 3
_CHARACTERS: Final = 1_200  # of one passage; the case itself shows all of it

Pair = tuple[Passage, list[Piece], list[Piece]]


@blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """A piece of a page, for the script of the queue."""
    case = services().store.cases.get(str(number))
    longest = sorted(case.match.passages, key=lambda one: -copied([one], Side.PAGE))[:_PASSAGES]
    return render_template(
        "cases/preview.html",
        case=case,
        removed=removed_works(services().product, [case]),
        match=case.match,
        worth=worth_text(case.match),
        pairs=_pairs(case, longest),
        more=len(case.match.passages) - len(longest),
        characters=_CHARACTERS,
        listed_by=wanted().arguments(),
    )


def _pairs(case: Case, passages: list[Passage]) -> list[Pair] | None:
    """Both sides of each passage; None where the store has lost a text."""
    blobs = services().store.blobs
    try:
        page, work = blobs.get_text(case.page_text_digest), blobs.get_text(case.work_text_digest)
    except NotFound:
        return None
    return [
        (
            one,
            *pair(
                one,
                page[one.page_start : one.page_end][:_CHARACTERS],
                work[one.work_start : one.work_end][:_CHARACTERS],
            ),
        )
        for one in passages
    ]
