"""Describe triage rules, and decide which of them act on a case."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import WAKE_ACTOR


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


# Which rules of triage act on a case; people's decisions stand, whatever a rule says.


_RULE_AUTHOR_PREFIX: Final = f"{WAKE_ACTOR}: "
_RESULT_STATUS: Final = {RuleAct.QUIET: CaseStatus.QUIET, RuleAct.DISMISS: CaseStatus.DISMISSED}


class CaseSurroundings(NamedTuple):
    """What a rule looks at beside the case: the holder of its work, and the sites on whose hosts its page stands."""

    holder: str | None
    site_ids: Collection[str]


def rule_author(rule: TriageRule) -> str:
    """Who did it, as cases and the audit log name a rule.

    >>> from datetime import datetime
    >>> rule_author(TriageRule(id="1", name="转载", act=RuleAct.DISMISS, by="沈", at=datetime(2026, 1, 1)))
    'wenhen: 转载'
    """
    return f"{_RULE_AUTHOR_PREFIX}{rule.name}"


def resulting_status(rule: TriageRule) -> CaseStatus | None:
    """The status to which a rule moves cases; None: it assigns them."""
    return _RESULT_STATUS.get(rule.act)


def is_rule_for(rule: TriageRule, case: Case, around: CaseSurroundings) -> bool:
    """Whether a rule is for such a case, whatever people have done with it."""
    if rule.work_id not in (None, case.work_id) or rule.holder not in (None, around.holder):
        return False
    if rule.site_id is not None and rule.site_id not in around.site_ids:
        return False
    if rule.act is RuleAct.DISMISS:
        return case.licence_id is not None and case.credited is not False
    return rule.act is RuleAct.ASSIGN or _largest_share(case) < (rule.share_below or 0.0)


def select_rules(rules: Iterable[TriageRule], case: Case, around: CaseSurroundings) -> list[TriageRule]:
    """The rules that act on a lead on which nobody has decided: one that moves it, a dismissal before all others, and
    one that assigns it; of several the one that names the most particular place, then the oldest.
    """
    if (
        case.status is not CaseStatus.LEAD
        or not case.present
        or not all(is_rule_author(move.by) for move in case.history)
    ):
        return []
    able = sorted(
        (rule for rule in rules if _may_act(rule, case) and is_rule_for(rule, case, around)), key=_rule_precedence
    )
    moving = next((rule for rule in able if rule.act is not RuleAct.ASSIGN), None)
    if moving is not None and moving.act is RuleAct.DISMISS:
        return [moving]
    assigning = next((rule for rule in able if rule.act is RuleAct.ASSIGN), None)
    return [rule for rule in (assigning, moving) if rule is not None]


def is_rule_author(who: str) -> bool:
    """Whether a rule decided, or the machine that took back what a rule had done."""
    return who == WAKE_ACTOR or who.startswith(_RULE_AUTHOR_PREFIX)


def is_dismissal_outdated(case: Case) -> bool:
    """Whether a rule dismissed the case for a licence that covers it no more."""
    dismissed = case.status is CaseStatus.DISMISSED and (case.decided_by or "").startswith(_RULE_AUTHOR_PREFIX)
    return dismissed and case.licence_id is None


def _may_act(rule: TriageRule, case: Case) -> bool:
    if rule.act is RuleAct.ASSIGN:
        return case.assignee is None
    return rule.act is RuleAct.DISMISS or not case.history  # a copy that grew is not silenced again


def _largest_share(case: Case) -> float:
    return max(case.match.share_of_page, case.match.share_of_work)


def _rule_precedence(rule: TriageRule) -> tuple[bool, bool, bool, bool, str]:
    places = (rule.work_id is None, rule.site_id is None, rule.holder is None)
    return rule.act is not RuleAct.DISMISS, *places, rule.at.isoformat() + rule.id
