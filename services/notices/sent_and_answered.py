"""Notices sent, with what became of their cases, and the answers that come back."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.holders.ready_to_send_notices import require_ready
from services.kept_files import bounded
from services.notices.cases_follow import follow, line_of
from services.notices.not_sent import sendable
from store.errors import BadInput, NotFound
from store.records import AnswerKind, Notice, NoticeAnswer, Sending, SentBy
from store.rules.role_rights import Right

ANSWER_LENGTH: Final = 20_000  # characters


@audited("notice.send")
def note_sent(
    acting: Acting, id: str, how: SentBy, *, to: str | None = None, at: datetime | None = None
) -> Changed[Notice]:
    """Note that a person sent the notice, by a form or a letter, now or then: its cases go on, the deadline runs.

    Raises `NotFound`; `Conflict` where it was sent; `BadInput` where the holder lacks what it needs, or nobody else has
    agreed where the setting asks for it; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, at = sendable(acting.product, id), at or acting.product.now()
    require_sendable(acting.product, old, at)
    return changed(*gone_out(acting, old, Sending(at=at, by=acting.who, how=how, to=to)))


def require_sendable(product: Product, notice: Notice, at: datetime) -> None:
    """Raise `BadInput`, saying why, unless the notice may go out."""
    if product.settings.notice.two_persons and notice.approved_by is None:
        raise BadInput("notices.not_approved", id=notice.id)
    require_ready(product, list(product.store.cases.many(notice.case_numbers).values()), at)


def gone_out(acting: Acting, old: Notice, sending: Sending, *, stored: Notice | None = None) -> tuple[Notice, Line]:
    """The notice as sent, with its cases moved, and its line for the log. stored: what it takes the place of, where
    that is not the old one.
    """
    new = replace(
        old,
        sent_at=sending.at,
        deadline=sending.at + timedelta(days=old.days),
        sendings=(*old.sendings, sending),
        follows_since=acting.product.now(),
    )
    acting.product.store.notices.change(stored or old, new)
    follow(acting, new)
    return replace(new, follows_since=None), line_of(new)


@audited("notice.answer")
def answer(
    acting: Acting,
    id: str,
    kind: AnswerKind,
    text: str,
    *,
    at: datetime | None = None,
    file: tuple[str, bytes] | None = None,
) -> Changed[Notice]:
    """Keep what came back. What it says moves no case: a person decides. NotFound, BadInput, TooLarge, Forbidden."""
    acting.require(Right.PROCEED)
    store = acting.product.store
    old, text = store.notices.get(id), text.strip()[:ANSWER_LENGTH]
    name, content = file or (None, None)
    if not text and content is None:
        raise BadInput("notices.empty_answer")
    one = NoticeAnswer(
        at=at or acting.product.now(),
        kept_by=acting.who,
        kind=kind,
        text=text,
        file_name=name,
        digest=store.blobs.put(bounded(name, content)) if content is not None else None,
    )
    new = replace(old, answers=(*old.answers, one))
    store.notices.change(old, new)
    return changed(new, Line(f"notice:{id}", new={"answer": kind}))


def file_of(product: Product, id: str, place: int) -> tuple[str, bytes]:
    """Name and content of the file of an answer, counted from 0. Raises `NotFound`."""
    answers = product.store.notices.get(id).answers
    digest = answers[place].digest if 0 <= place < len(answers) else None
    if digest is None:
        raise NotFound("replies.no_answer", id=id, place=place)
    return answers[place].file_name or digest, product.store.blobs.get(digest)


def of_case(product: Product, number: int) -> Sequence[Notice]:
    """The notices that name a case, the last written first."""
    return product.store.notices.of_cases([number])
