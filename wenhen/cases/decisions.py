"""Decide, undo and assign cases, and ask for second opinions.

A decision to send a notice sets its deadlines (`wenhen.cases.notice_deadlines`), and needs a holder who can send one.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from hashlib import sha256
from time import time_ns
from typing import Final

from wenhen.accounts.users import require_colleague
from wenhen.cases.comments_and_amounts import MAX_COMMENT_CHARACTERS
from wenhen.cases.model import Case, CaseDecision, CaseStatus, Lawsuit
from wenhen.cases.notice_deadlines import notice_dates
from wenhen.cases.rules import (
    CONFIRMATION_GROUNDS,
    JUDGED_STATUSES,
    NEXT_STATUSES,
    STATUSES_BEYOND_CONFIRMED,
    STATUSES_WITH_REASON,
    previous_statuses,
    proposed_status,
)
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.holders.model import missing_requirements
from wenhen.holders.service import find_holder
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Message, message
from wenhen.kit.rights import Right

# A holder can send a notice if its data is complete and its rights documents are valid on that day.


def require_notice_ready(product: Product, cases: Collection[Case], moment: datetime) -> None:
    """Raise `BadInput` with the missing or expired documents unless every holder can send a notice.

    moment: the sending time, which decides the day of validity.
    """
    works = product.store.works.many({case.work_id for case in cases})
    for case in cases:
        work = works.get(case.work_id)
        if work is None or not work.owner:
            raise BadInput("holders.nobody", number=case.number)
    for name in sorted({works[case.work_id].owner or "" for case in cases}):
        if lacking := missing_requirements(find_holder(product, name), china_day(moment)):
            raise BadInput(
                "holders.not_ready", holder=name, lacks=reduce(_join_messages, (lack.said for lack in lacking))
            )


def _join_messages(first: Message, more: Message) -> Message:
    return message("holders.and", first=first, more=more)


MAX_NOTE_CHARACTERS: Final = 1_000  # characters of a reason
MAX_COURT_CHARACTERS: Final = 100  # characters of the name of a court, and of a case number
MAX_CASES_PER_ACTION: Final = 2_000  # cases per call


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a decision: numbers of moved cases, of those that could not move to the status, and of no case."""

    batch: str  # id for undoing the decision
    moved: tuple[int, ...]
    stayed: tuple[int, ...]
    unknown: tuple[int, ...] = ()


def open_statuses(acting: Acting, case: Case) -> list[CaseStatus]:
    """Return the statuses to which this user may move the case now."""
    return _next_statuses(acting, case.status)


def _next_statuses(acting: Acting, status: CaseStatus) -> list[CaseStatus]:
    if not may_handle_status(acting, status):
        return []
    by_notice = {CaseStatus.NOTICE_SENT} if acting.product.settings.notice.two_persons else frozenset()
    return [
        following
        for following in NEXT_STATUSES[status]
        if may_handle_status(acting, following) and following not in by_notice  # sent by two in a separate dialog
    ]


def judgement_statuses(acting: Acting, case: Case) -> list[CaseStatus]:
    """Return the statuses from `open_statuses` without those that move a case backwards.

    Moving backwards needs an explicit decision.
    """
    if proposed_status(case) is CaseStatus.CONFIRMED:
        return open_statuses(acting, case)
    return statuses_to_judge(acting, case.status)


def statuses_to_judge(acting: Acting, status: CaseStatus) -> list[CaseStatus]:
    """Return `judgement_statuses` of every case at this status. A copy that came back may be confirmed as well."""
    following = _next_statuses(acting, status)
    if status in JUDGED_STATUSES:
        return following
    return [move for move in following if move is not CaseStatus.CONFIRMED]


def required_grounds(product: Product) -> Sequence[str]:
    """Return the grounds from which a confirmation must name one, or give another in words. Empty if optional."""
    return CONFIRMATION_GROUNDS if product.settings.notice.grounds else ()


@audited("case.decide")
def decide_cases(
    acting: Acting,
    numbers: Sequence[int],
    status: CaseStatus,
    *,
    note: str | None = None,
    notice_at: datetime | None = None,
    deadline: datetime | None = None,
    in_passing: bool = False,
    until: datetime | None = None,
    of_notice: bool = False,
    lawsuit: Lawsuit | None = None,
    undoable: bool = False,
) -> ChangeResult[Decided]:
    """Move the cases that may move to the status. Others are unchanged.

    note: the reason. Required to close or refuse, and for a confirmation if the settings demand grounds.
    notice_at, deadline: dates of a notice, by default now and a week later. For a counter-notice, the setting gives the
    default deadline.
    in_passing: do not move a case backwards (see `judgement_statuses`).
    until: the latest time at which a quiet case becomes a lead again.
    of_notice: a notice was sent, with the approval of two persons if required.
    lawsuit: required for the status `court`, and only for it.
    undoable: allow the user to undo the decision (see `last_decision`).

    Raises `Forbidden`, and `BadInput` if an argument is missing, invalid or for another status.
    """
    acting.require(Right.PROCEED if status in STATUSES_BEYOND_CONFIRMED else Right.DECIDE)
    product, now = acting.product, acting.product.now()
    note = (note or "").strip()[:MAX_NOTE_CHARACTERS] or None
    _validate_decision(product, numbers, status, note, until)
    lawsuit = _parse_lawsuit(status, lawsuit, now)
    note = _reason_with_lawsuit(lawsuit, note)
    dates = notice_dates(status, notice_at, deadline, now, timedelta(days=product.settings.notice.counter_days))
    known, origins = (
        product.store.cases.many(numbers),
        [previous for previous in previous_statuses(status) if may_handle_status(acting, previous)],
    )
    meant = [case for case in known.values() if not in_passing or status in judgement_statuses(acting, case)]
    if status is CaseStatus.NOTICE_SENT:
        _require_sendable_notice(
            product, [case for case in meant if case.status in origins], notice_at or now, of_notice
        )
    batch = _undoable_batch(acting, now) if undoable else secrets.token_hex(8)
    moved = product.store.cases.decide_many(
        [case.number for case in meant],
        CaseDecision(status=status, by=acting.who, at=now, reason=note, wakes_at=until, lawsuit=lawsuit, **dates),
        only_from=origins,
        batch=batch,
    )
    new = {"status": status, **_given_values(reason=note, wakes_at=until), **dates}
    lines = [decision_audit_line(known[number], known[number].status, new) for number in moved]
    stayed, unknown = sorted(set(known) - set(moved)), sorted(set(numbers) - set(known))
    return change_result(Decided(batch, tuple(moved), tuple(stayed), tuple(unknown)), *lines)


def may_handle_status(acting: Acting, status: CaseStatus) -> bool:
    """Return whether this user may handle cases at this status. Statuses beyond CONFIRMED need a right."""
    return status not in STATUSES_BEYOND_CONFIRMED or acting.may(Right.PROCEED)


def _validate_decision(
    product: Product, numbers: Sequence[int], status: CaseStatus, note: str | None, until: datetime | None
) -> None:
    """Raise `BadInput` if the arguments are invalid for any case."""
    if status is CaseStatus.CONFIRMED and note is None and required_grounds(product):
        raise BadInput("cases.needs_grounds")
    if status in STATUSES_WITH_REASON and note is None:
        raise BadInput("cases.needs_reason")
    if len(numbers) > MAX_CASES_PER_ACTION:
        raise BadInput("cases.too_many", most=MAX_CASES_PER_ACTION, given=len(numbers))
    if until is not None and (status is not CaseStatus.QUIET or until <= product.now()):
        raise BadInput("cases.until")


def _require_sendable_notice(product: Product, cases: Sequence[Case], moment: datetime, of_notice: bool) -> None:
    """Raise `BadInput` if the notice of a case cannot be sent."""
    if product.settings.notice.two_persons and not of_notice:
        raise BadInput("notices.by_notice")
    require_notice_ready(product, cases, moment)


def _parse_lawsuit(status: CaseStatus, lawsuit: Lawsuit | None, now: datetime) -> Lawsuit | None:
    """Return the lawsuit with normalized whitespace. Raises `BadInput`."""
    if lawsuit is None and status is not CaseStatus.COURT:
        return None
    court, number = (" ".join((lawsuit.court, lawsuit.number)[part].split()) if lawsuit else "" for part in (0, 1))
    if status is not CaseStatus.COURT or lawsuit is None or not court or not number or lawsuit.filed_at > now:
        raise BadInput("cases.court")
    return Lawsuit(court=court[:MAX_COURT_CHARACTERS], number=number[:MAX_COURT_CHARACTERS], filed_at=lawsuit.filed_at)


def _reason_with_lawsuit(lawsuit: Lawsuit | None, note: str | None) -> str | None:
    """Return the reason for history and reports, with the data of the lawsuit."""
    if lawsuit is None:
        return note
    parts = (lawsuit.court, lawsuit.number, str(china_day(lawsuit.filed_at)), note)
    return " · ".join(filter(None, parts))[:MAX_NOTE_CHARACTERS]


def _given_values(**values: object) -> dict[str, object]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def decision_audit_line(case: Case, old: CaseStatus, new: Mapping[str, object]) -> AuditLine:
    """Return the audit line of one case, with its old status and the new values."""
    return AuditLine(f"case:{case.number}", {"status": old}, new)


# Undo of decisions. The id of an undoable batch starts with the user and the time, so that a range query finds the
# newest one.


_UNDO_PERIOD: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class MadeDecision:
    """A decision that can be undone, with its cases that were not decided since."""

    batch: str
    status: CaseStatus
    numbers: tuple[int, ...]


def last_decision(acting: Acting) -> MadeDecision | None:
    """Return the newest undoable decision of this user within `_UNDO_PERIOD`.

    Returns None if there is none, or if all its cases were decided since.
    """
    owner, since = _batch_owner(acting), acting.product.now() - _UNDO_PERIOD
    cases = acting.product.store.cases
    newest = cases.last_batch(f"{owner}:{_batch_time(since)}", f"{owner};")
    if newest is None:
        return None
    batch, status = newest
    return MadeDecision(batch, status, tuple(sorted(cases.of_batch(batch))))


def _undoable_batch(acting: Acting, now: datetime) -> str:
    return f"{_batch_owner(acting)}:{_batch_time(now)}:{time_ns():x}:{secrets.token_hex(2)}"


def _batch_owner(acting: Acting) -> str:
    return sha256(acting.who.encode()).hexdigest()[:12]


def _batch_time(moment: datetime) -> str:
    return f"{int(moment.timestamp() * 1000):012x}"


@audited("case.undo")
def undo_decision(acting: Acting, batch: str) -> ChangeResult[tuple[int, ...]]:
    """Undo a decision and return the numbers of restored cases. Cases that were decided since are unchanged.

    Users may undo their own decisions, and anyone's with the right `PROCEED`. Raises `Forbidden` if this excludes all
    cases.
    """
    acting.require(Right.DECIDE)
    cases = acting.product.store.cases
    decided = cases.many(cases.of_batch(batch))
    restored = cases.undo(
        batch,
        within=[status for status in CaseStatus if may_handle_status(acting, status)],
        by=None if acting.may(Right.PROCEED) else acting.who,
        moment=acting.product.now(),
    )
    undone = sorted(restored)  # the database gives them in no order
    if decided and not undone:
        acting.require(Right.PROCEED)
    after = cases.many(undone)
    lines = [
        decision_audit_line(after[n], decided[n].status, {"status": after[n].status}) for n in undone if n in decided
    ]
    return change_result(tuple(undone), *lines)


MAX_ASSIGNEE_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True)
class Assigned:
    """How many cases were assigned, and to whom. None means nobody."""

    count: int
    assignee: str | None


@audited("case.assign")
def assign_cases(acting: Acting, numbers: Sequence[int], assignee: str | None) -> ChangeResult[Assigned]:
    """Assign cases to a user, or to nobody. While there are no accounts, any name is taken.

    Raises `BadInput` for too many cases and for an unknown or disabled user, `Forbidden`.
    """
    acting.require(Right.ASSIGN)
    if len(numbers) > MAX_CASES_PER_ACTION:
        raise BadInput("cases.too_many_assigned", most=MAX_CASES_PER_ACTION, given=len(numbers))
    assignee = (assignee or "").strip()[:MAX_ASSIGNEE_CHARACTERS] or None
    if assignee and acting.product.store.users.all():
        assignee = require_colleague(acting, assignee)
    cases = acting.product.store.cases
    others = [case for case in cases.many(numbers).values() if case.assignee != assignee]
    cases.assign([case.number for case in others], assignee, moment=acting.product.now(), by=acting.who)
    return change_result(
        Assigned(len(others), assignee),
        *(
            AuditLine(f"case:{case.number}", _assignee_value(case.assignee), _assignee_value(assignee))
            for case in others
        ),
    )


def _assignee_value(assignee: str | None) -> dict[str, str] | None:
    return {"assignee": assignee} if assignee else None


# Second opinions: a user asks another one, who sees the case until it is decided.


@audited("case.ask")
def ask_second_opinion(
    acting: Acting, numbers: Sequence[int], name: str, text: str | None = None
) -> ChangeResult[None]:
    """Ask a user for a second opinion on cases, with a comment that mentions the user.

    Raises `BadInput` for an unknown or disabled user or too many cases, `Forbidden`.
    """
    acting.require(Right.DECIDE)
    if len(numbers) > MAX_CASES_PER_ACTION:
        raise BadInput("cases.too_many", most=MAX_CASES_PER_ACTION, given=len(numbers))
    store, now = acting.product.store, acting.product.now()
    known = require_colleague(acting, name.strip().removeprefix("@"))
    known_numbers = list(store.cases.many(numbers))
    store.cases.ask(known_numbers, known, by=acting.who, moment=now)
    words = f"@{known} {(text or '').strip()}".strip()[:MAX_COMMENT_CHARACTERS]
    for number in known_numbers:
        store.comments.add(number, by=acting.who, text=words, moment=now)
    return change_result(
        None, *(AuditLine(f"case:{number}", new={"asked": known, "comment": words}) for number in known_numbers)
    )
