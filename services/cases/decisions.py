"""What people decide on cases, one or many at once."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.holders.ready_to_send_notices import require_ready
from store.errors import BadInput
from store.records import Case, CaseStatus, Lawsuit
from store.rules.cases.case_path import BEYOND, FOLLOWING, JUDGED, NEEDS_REASON, before
from store.rules.cases.deadlines import notice_dates
from store.rules.cases.decision_reasons import GROUNDS
from store.rules.cases.gone_or_back import proposed
from store.rules.china_time import day_of
from store.rules.role_rights import Right

NOTE_LENGTH: Final = 1_000  # characters of a reason
COURT_LENGTH: Final = 100  # characters of a court's name, and of its number
MOST: Final = 2_000  # cases that are decided, or assigned, at once


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision did: cases by number; those that stay where they were, as their path leads elsewhere."""

    batch: str  # undone by this name
    moved: tuple[int, ...]
    stayed: tuple[int, ...]


def open_to(acting: Acting, case: Case) -> list[CaseStatus]:
    """The statuses to which this person may decide the case as it stands."""
    if not reaches(acting, case.status):
        return []
    return [status for status in FOLLOWING[case.status] if reaches(acting, status)]


def judgements(acting: Acting, case: Case) -> list[CaseStatus]:
    """The same without those that take a case back on its path, which nobody does in passing."""
    open = open_to(acting, case)
    if case.status in JUDGED or proposed(case) is CaseStatus.CONFIRMED:
        return open
    return [status for status in open if status is not CaseStatus.CONFIRMED]


def grounds_asked(product: Product) -> Sequence[str]:
    """The grounds of which a confirmation has to give one, or another in words; empty where it needs none."""
    return GROUNDS if product.settings.notice.grounds else ()


@audited("case.decide")
def decide(
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
) -> Changed[Decided]:
    """Move the cases whose path leads to the status; those that are not there are left out.

    note: what ends a case or refuses needs one, and so does a confirmation where the setting asks for its grounds.
    notice_at, deadline: of a notice, now and a week where they are left out; of a counter-notice by the setting.
    in_passing: none is taken back on its path (`judgements`). until: when a quiet case is a lead again at the latest.
    of_notice: a notice was sent that two persons agreed to, if they have to. lawsuit: what `court` alone needs.
    Raises `Forbidden`, and `BadInput` for whatever of this is missing, impossible, or belongs to another status.
    """
    acting.require(Right.PROCEED if status in BEYOND else Right.DECIDE)
    product, now = acting.product, acting.product.now()
    note = (note or "").strip()[:NOTE_LENGTH] or None
    _refuse_wrong(product, numbers, status, note, until)
    lawsuit = _lawsuit(status, lawsuit, now)
    note = _with_lawsuit(lawsuit, note)
    dates = notice_dates(status, notice_at, deadline, now, timedelta(days=product.settings.notice.counter_days))
    known, origins = product.store.cases.many(numbers), [one for one in before(status) if reaches(acting, one)]
    meant = [case for case in known.values() if not in_passing or status in judgements(acting, case)]
    if status is CaseStatus.NOTICE_SENT:
        _require_sendable(product, [case for case in meant if case.status in origins], notice_at or now, of_notice)
    batch = secrets.token_hex(8)
    moved = product.store.cases.decide_many(
        [case.number for case in meant],
        status,
        only_from=origins,
        by=acting.who,
        reason=note,
        at=now,
        batch=batch,
        wakes_at=until,
        lawsuit=lawsuit,
        **dates,
    )
    new = {"status": status, **_given(reason=note, wakes_at=until), **dates}
    lines = [line_of(known[number], known[number].status, new) for number in moved]
    return changed(Decided(batch, tuple(moved), tuple(sorted(set(known) - set(moved)))), *lines)


def reaches(acting: Acting, status: CaseStatus) -> bool:
    """Whether this person deals with cases that stand there: beyond the confirmation not everybody does."""
    return status not in BEYOND or acting.may(Right.PROCEED)


def _refuse_wrong(
    product: Product, numbers: Sequence[int], status: CaseStatus, note: str | None, until: datetime | None
) -> None:
    """Raise `BadInput` for what no case can be decided with."""
    if status is CaseStatus.CONFIRMED and note is None and grounds_asked(product):
        raise BadInput("cases.needs_grounds")
    if status in NEEDS_REASON and note is None:
        raise BadInput("cases.needs_reason")
    if len(numbers) > MOST:
        raise BadInput("cases.too_many", most=MOST, given=len(numbers))
    if until is not None and (status is not CaseStatus.QUIET or until <= product.now()):
        raise BadInput("cases.until")


def _require_sendable(product: Product, cases: Sequence[Case], at: datetime, of_notice: bool) -> None:
    """Raise `BadInput` for cases whose notice could not be sent."""
    if product.settings.notice.two_persons and not of_notice:
        raise BadInput("notices.by_notice")
    require_ready(product, cases, at)


def _lawsuit(status: CaseStatus, given: Lawsuit | None, now: datetime) -> Lawsuit | None:
    """What was given, without needless spaces. Raises `BadInput`."""
    if given is None and status is not CaseStatus.COURT:
        return None
    court, number = (" ".join((given.court, given.number)[at].split()) if given else "" for at in (0, 1))
    if status is not CaseStatus.COURT or given is None or not court or not number or given.filed_at > now:
        raise BadInput("cases.court")
    return Lawsuit(court=court[:COURT_LENGTH], number=number[:COURT_LENGTH], filed_at=given.filed_at)


def _with_lawsuit(lawsuit: Lawsuit | None, note: str | None) -> str | None:
    """The reason as the path and the reports tell it."""
    if lawsuit is None:
        return note
    told = (lawsuit.court, lawsuit.number, str(day_of(lawsuit.filed_at)), note)
    return " · ".join(filter(None, told))[:NOTE_LENGTH]


def _given(**values: object) -> dict[str, object]:
    """Those that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def line_of(case: Case, old: CaseStatus, new: Mapping[str, object]) -> Line:
    """The audit line of one case: where it stood, and what is new."""
    return Line(f"case:{case.number}", {"status": old}, new)
