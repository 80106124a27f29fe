"""Log views of cases, and find the cases that changed, lost their work, or wait for a user."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import PURSUED_STATUSES
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import Message
from wenhen.pages.model import Page
from wenhen.works.model import Work

# Views of cases are part of the chain of custody. The audit log has one line per user and day.


VIEW_ACTION: Final = "case.view"


@audited(VIEW_ACTION)
def record_case_view(acting: Acting, number: int) -> ChangeResult[None]:
    """Record that this user viewed the case, unless this was recorded today (in China)."""
    subject, product = f"case:{number}", acting.product
    today = start_of_day(china_day(product.now()))
    if product.store.audit.find(who=acting.who, action=VIEW_ACTION, subject=subject, since=today, limit=1):
        return change_result(None)
    return change_result(None, AuditLine(subject))


CHANGE_OVERLAP: Final = timedelta(minutes=10)  # a step may store a case long after it read the clock
_CHANGED_BATCH_SIZE: Final = 5_000  # more than one update may change at the same moment


def find_changed_cases(since: datetime | None, ask: Callable[[datetime, int], list[Case]]) -> Iterator[list[Case]]:
    """Yield batches of cases changed since a time. Cases changed shortly before it are repeated.

    since: None for all cases.
    ask: returns at most n cases changed at or after a time, ordered by change.
    """
    from_then = datetime(1970, 1, 1, tzinfo=UTC) if since is None else since - CHANGE_OVERLAP
    while cases := ask(from_then, _CHANGED_BATCH_SIZE):
        yield cases
        if len(cases) < _CHANGED_BATCH_SIZE:
            return
        from_then = max(cases[-1].updated_at, from_then + timedelta(milliseconds=1))


# If the work of a case was removed, its page is no longer compared with it.


def find_removed_works(product: Product, cases: Iterable[Case]) -> frozenset[str]:
    """Return the ids of removed works among absent cases. Their copies may still be online."""
    ids = {case.work_id for case in cases if not case.present}
    works = product.store.works.many(ids) if ids else {}
    return frozenset(id for id, work in works.items() if work.removed_at is not None)


class AbsenceReason(StrEnum):
    """Why a case is not present."""

    WORK_REMOVED = "work_removed"  # from the library, so that nothing is compared with it; the copy may be online
    COMMON = "common"  # the text is there, and is common to several works or explained by a common text
    PAGE_GONE = "page_gone"  # its server says so
    COPY_GONE = "copy_gone"  # the page no longer contains the copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Why a case is not present, and since when. since: None if no record says it."""

    why: AbsenceReason
    since: datetime | None

    @property
    def said(self) -> Message:
        """Return the reason in words."""
        return Message(f"cases.absent_{self.why}")


def explain_absences(product: Product, cases: Iterable[Case]) -> dict[int, Absence]:
    """Return by number why absent cases are not present."""
    absent = [case for case in cases if not case.present]
    works = product.store.works.many({case.work_id for case in absent}) if absent else {}
    pages = product.store.pages.many({case.page_id for case in absent}) if absent else {}
    return {case.number: _explain_absence(case, works.get(case.work_id), pages.get(case.page_id)) for case in absent}


def _explain_absence(case: Case, work: Work | None, page: Page | None) -> Absence:
    if work is not None and work.removed_at is not None:
        return Absence(why=AbsenceReason.WORK_REMOVED, since=work.removed_at)
    if case.common:
        return Absence(why=AbsenceReason.COMMON, since=None)
    if page is not None and page.gone_at is not None:
        return Absence(why=AbsenceReason.PAGE_GONE, since=page.gone_at)
    return Absence(why=AbsenceReason.COPY_GONE, since=None)


_MAX_LISTED: Final = 6


@dataclass(frozen=True, slots=True)
class MyWork:
    """Pending cases of a user: to judge, to pursue, and requests for a second opinion."""

    to_judge: int
    to_pursue: int
    asked: int
    first: Sequence[Case]

    @property
    def total(self) -> int:
        """Return the total number of pending cases."""
        return self.to_judge + self.to_pursue + self.asked


def count_my_leads(acting: Acting) -> int:
    """Return how many leads are assigned to this user."""
    return acting.product.store.cases.count(assignee=acting.who, status=CaseStatus.LEAD)


def count_open_cases(product: Product, name: str) -> int:
    """Return how many cases that are not closed are assigned to a user."""
    by_status = product.store.cases.count_by_status(assignee=name)
    return sum(by_status.get(status, 0) for status in (CaseStatus.LEAD, CaseStatus.SUSPECTED, *PURSUED_STATUSES))


def load_my_work(acting: Acting) -> MyWork:
    """Load the pending cases of this user. Requests for a second opinion come first."""
    cases, who = acting.product.store.cases, acting.who
    by_status = cases.count_by_status(assignee=who)
    asked_cases = cases.find(asked=who, limit=_MAX_LISTED)
    own = cases.find(assignee=who, status=CaseStatus.LEAD, limit=_MAX_LISTED)
    known = {case.id for case in asked_cases}
    return MyWork(
        to_judge=by_status.get(CaseStatus.LEAD, 0) + by_status.get(CaseStatus.SUSPECTED, 0),
        to_pursue=sum(by_status.get(status, 0) for status in PURSUED_STATUSES),
        asked=cases.count(asked=who),
        first=[*asked_cases, *(case for case in own if case.id not in known)][:_MAX_LISTED],
    )
