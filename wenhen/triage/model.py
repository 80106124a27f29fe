"""Describe triage rules, and decide which of them apply to a case."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import WAKE_ACTOR


class RuleAct(StrEnum):
    """The action of a rule."""

    ASSIGN = "assign"  # assign a lead that is unassigned
    QUIET = "quiet"  # mute a lead of which little was copied; it wakes up when the copy grows
    DISMISS = "dismiss"  # dismiss a lead that a licence covers, if its page names the source where required


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRule:
    """A triage rule. All of its conditions must match; without any it matches all leads."""

    id: str
    name: str  # chosen by its author; it is stored as the reason of what the rule did
    act: RuleAct
    work_id: str | None = None
    site_id: str | None = None
    holder: str | None = None  # of the work
    assignee: str | None = None  # for ASSIGN only
    share_below: float | None = None  # for QUIET only: both shares are smaller
    by: str
    at: datetime
    on: bool = False
    waiting_below: int | None = None  # waiting leads with smaller numbers are not yet processed


# Which rules apply to a case. Decisions of users take precedence.


_RULE_AUTHOR_PREFIX: Final = f"{WAKE_ACTOR}: "
_RESULT_STATUS: Final = {RuleAct.QUIET: CaseStatus.QUIET, RuleAct.DISMISS: CaseStatus.DISMISSED}


class CaseSurroundings(NamedTuple):
    """Further data that rules check: the holder of the work, and the sites that have the host of the page."""

    holder: str | None
    site_ids: Collection[str]


def rule_author(rule: TriageRule) -> str:
    """Return the name of a rule as the author of a decision, in cases and the audit log.

    >>> from datetime import datetime
    >>> rule_author(TriageRule(id="1", name="转载", act=RuleAct.DISMISS, by="沈", at=datetime(2026, 1, 1)))
    'wenhen: 转载'
    """
    return f"{_RULE_AUTHOR_PREFIX}{rule.name}"


def resulting_status(rule: TriageRule) -> CaseStatus | None:
    """Return the status to which a rule moves cases; None if it assigns them."""
    return _RESULT_STATUS.get(rule.act)


def is_rule_for(rule: TriageRule, case: Case, around: CaseSurroundings) -> bool:
    """Return whether the conditions of a rule match a case, whatever users have decided."""
    if rule.work_id not in (None, case.work_id) or rule.holder not in (None, around.holder):
        return False
    if rule.site_id is not None and rule.site_id not in around.site_ids:
        return False
    if rule.act is RuleAct.DISMISS:
        return case.licence_id is not None and case.credited is not False
    return rule.act is RuleAct.ASSIGN or _largest_share(case) < (rule.share_below or 0.0)


def select_rules(rules: Iterable[TriageRule], case: Case, around: CaseSurroundings) -> list[TriageRule]:
    """Return the rules that apply to a lead that no user has decided: at most one that moves and one that assigns it.

    A dismissal takes precedence over all others. Among several rules, the most specific one applies, then the oldest.
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
    """Return whether a decision was made by a rule, or by the reversal of a rule."""
    return who == WAKE_ACTOR or who.startswith(_RULE_AUTHOR_PREFIX)


def is_dismissal_outdated(case: Case) -> bool:
    """Return whether a rule dismissed the case for a licence that no longer covers it."""
    dismissed = case.status is CaseStatus.DISMISSED and (case.decided_by or "").startswith(_RULE_AUTHOR_PREFIX)
    return dismissed and case.licence_id is None


def _may_act(rule: TriageRule, case: Case) -> bool:
    if rule.act is RuleAct.ASSIGN:
        return case.assignee is None
    return rule.act is RuleAct.DISMISS or not case.history  # a copy that grew is not muted again


def _largest_share(case: Case) -> float:
    return max(case.match.share_of_page, case.match.share_of_work)


def _rule_precedence(rule: TriageRule) -> tuple[bool, bool, bool, bool, str]:
    places = (rule.work_id is None, rule.site_id is None, rule.holder is None)
    return rule.act is not RuleAct.DISMISS, *places, rule.at.isoformat() + rule.id
