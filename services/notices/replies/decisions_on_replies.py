"""What people do with the mails that came: say to which notice one belongs, and what an answer amounts to."""

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.cases.decisions import NOTE_LENGTH, Decided, decide
from services.notices.platforms import delists
from services.notices.replies.which_notice import answered, as_answer
from store.errors import BadInput, Conflict, NotFound
from store.records import AnswerKind, AssignedBy, CaseStatus, Notice, Reply
from store.rules.role_rights import Right

_MOVES: Final = MappingProxyType(
    {
        AnswerKind.REMOVED: CaseStatus.REMOVED,
        AnswerKind.REFUSED: CaseStatus.REFUSED,
        AnswerKind.COUNTER_NOTICE: CaseStatus.COUNTERED,
    }
)


@audited("reply.assign")
def assign(acting: Acting, id: str, number: str) -> Changed[Reply]:
    """Say to which notice a mail belongs that waits. Raises `NotFound`; `Conflict` where it has its place already;
    `BadInput` for a notice that was not sent; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store, now = acting.product.store, acting.product.now()
    old = _waiting(acting, id)
    if store.notices.get(number).sent_at is None:
        raise BadInput("replies.unsent", number=number)
    new = replace(old, notice=number, assigned_at=now)
    line = answered(acting.product, number, as_answer(new, AssignedBy.HAND, acting.who))
    store.replies.put(new)
    return changed(new, Line(f"reply:{id[:12]}", new={"notice": number}), *([line] if line else []))


@audited("reply.set_aside")
def set_aside(acting: Acting, id: str) -> Changed[Reply]:
    """Say that a mail belongs to no notice; it stays kept. Raises `NotFound`, `Conflict`, `Forbidden`."""
    acting.require(Right.PROCEED)
    new = replace(_waiting(acting, id), set_aside_at=acting.product.now(), set_aside_by=acting.who)
    acting.product.store.replies.put(new)
    return changed(new, Line(f"reply:{id[:12]}", new={"from": new.sender}))


@audited("notice.read")
def read(acting: Acting, id: str, place: int, kind: AnswerKind, *, move: bool = True) -> Changed[Notice]:
    """Say what an answer amounts to. place: which it is, from 0. move: the notice's cases go where that leads, as far
    as their path allows; what a search engine says moves none.

    Raises `NotFound`, `Conflict` where somebody has changed the notice meanwhile, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store = acting.product.store
    old = store.notices.get(id)
    if not 0 <= place < len(old.answers):
        raise NotFound("replies.no_answer", id=id, place=place)
    was = old.answers[place]
    now = replace(was, kind=kind, read_at=acting.product.now(), read_by=acting.who)
    new = replace(old, answers=(*old.answers[:place], now, *old.answers[place + 1 :]))
    store.notices.change(old, new)
    moved = _moved(acting, new, kind, was.text) if move else None
    told = {"answer": kind} | ({"cases": list(moved.moved)} if moved else {})
    return changed(new, Line(f"notice:{id}", old={"answer": was.kind}, new=told))


def _moved(acting: Acting, notice: Notice, kind: AnswerKind, text: str) -> Decided | None:
    if kind not in _MOVES or delists(acting.product, notice.platform):
        return None
    note = f"{notice.id} {' '.join(text.split())}"[:NOTE_LENGTH]
    return decide(acting, notice.case_numbers, _MOVES[kind], note=note)


def _waiting(acting: Acting, id: str) -> Reply:
    found = acting.product.store.replies.get(id)
    if found.notice is not None or found.set_aside_at is not None:
        raise Conflict("replies.has_its_place", id=id[:12])
    return found
