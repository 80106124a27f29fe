"""List the pending cases of a user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import PURSUED_STATUSES
from wenhen.product.use_cases import Acting

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
