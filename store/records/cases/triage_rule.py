"""What is done with new leads by itself, because a person switched it on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RuleAct(StrEnum):
    """What a rule does."""

    ASSIGN = "assign"  # give a lead that nobody has to somebody
    QUIET = "quiet"  # make a lead quiet of which little was copied; it wakes up as any other when the copy grows
    DISMISS = "dismiss"  # dismiss a lead that a licence covers, and whose page names its source where it has to


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRule:
    """A rule of triage; each place that it names has to fit, and without any it is for all leads."""

    id: str
    name: str  # who made it calls it so; it stands as the reason of what the rule did
    act: RuleAct
    work_id: str | None = None
    site_id: str | None = None
    holder: str | None = None  # of the work
    assignee: str | None = None  # only of ASSIGN: to whom
    share_below: float | None = None  # only of QUIET: shares of page and work are both less
    by: str
    at: datetime
    on: bool = False
    waiting_below: int | None = None  # waiting leads with smaller numbers have still to be gone through
