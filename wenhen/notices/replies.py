"""Record user decisions about reply mails and answers."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from wenhen.cases.decisions import MAX_NOTE_CHARACTERS, Decided, decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.rights import Right
from wenhen.notices.mailbox import add_answer, make_answer
from wenhen.notices.model import AnswerKind, AssignedBy, Notice, Reply
from wenhen.notices.platforms import is_delisting
from wenhen.product.context import Acting, AuditLine, ChangeResult, audited, change_result

_ANSWER_STATUSES: Final = MappingProxyType(
    {
        AnswerKind.REMOVED: CaseStatus.REMOVED,
        AnswerKind.REFUSED: CaseStatus.REFUSED,
        AnswerKind.COUNTER_NOTICE: CaseStatus.COUNTERED,
    }
)


@audited("reply.assign")
def assign_reply(acting: Acting, id: str, number: str) -> ChangeResult[Reply]:
    """Assign a waiting mail to a notice.

    Raises `NotFound`, `Conflict` if it is already assigned or dismissed, `BadInput` for an unsent notice, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store, now = acting.product.store, acting.product.now()
    old = _waiting_reply(acting, id)
    if store.notices.get(number).sent_at is None:
        raise BadInput("replies.unsent", number=number)
    new = replace(old, notice=number, assigned_at=now)
    line = add_answer(acting.product, number, make_answer(new, AssignedBy.HAND, acting.who))
    store.replies.put(new)
    return change_result(new, AuditLine(f"reply:{id[:12]}", new={"notice": number}), *([line] if line else []))


@audited("reply.set_aside")
def dismiss_reply(acting: Acting, id: str) -> ChangeResult[Reply]:
    """Dismiss a mail that belongs to no notice. It stays stored. Raises `NotFound`, `Conflict`, `Forbidden`."""
    acting.require(Right.PROCEED)
    new = replace(_waiting_reply(acting, id), set_aside_at=acting.product.now(), set_aside_by=acting.who)
    acting.product.store.replies.put(new)
    return change_result(new, AuditLine(f"reply:{id[:12]}", new={"from": new.sender}))


@audited("notice.read")
def classify_answer(
    acting: Acting, id: str, place: int, kind: AnswerKind, *, move: bool = True
) -> ChangeResult[Notice]:
    """Classify an answer, and move the cases of the notice accordingly.

    place: index of the answer, from 0.
    move: move the cases as far as their transitions allow. Answers of search engines move none.

    Raises `NotFound`, `Conflict` after a concurrent change of the notice, `Forbidden`.
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
    moved = move_answered_cases(acting, new, kind, was.text, new.case_numbers) if move else None
    audited = {"answer": kind} | ({"cases": list(moved.moved)} if moved else {})
    return change_result(new, AuditLine(f"notice:{id}", old={"answer": was.kind}, new=audited))


def move_answered_cases(
    acting: Acting, notice: Notice, kind: AnswerKind, text: str, numbers: Sequence[int]
) -> Decided | None:
    """Move cases of a notice as an answer says. Return None if an answer of this kind or receiver moves none."""
    if kind not in _ANSWER_STATUSES or is_delisting(acting.product, notice.platform):
        return None
    note = f"{notice.id} {' '.join(text.split())}"[:MAX_NOTE_CHARACTERS]
    return decide_cases(acting, numbers, _ANSWER_STATUSES[kind], note=note)


def _waiting_reply(acting: Acting, id: str) -> Reply:
    reply = acting.product.store.replies.get(id)
    if reply.notice is not None or reply.set_aside_at is not None:
        raise Conflict("replies.has_its_place", id=id[:12])
    return reply
