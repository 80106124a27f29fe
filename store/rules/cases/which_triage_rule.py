"""Which rules of triage act on a case; people's decisions stand, whatever a rule says."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from store.records import Case, CaseStatus, RuleAct, TriageRule
from store.rules.cases.case_moves import WAKER

_MARK: Final = f"{WAKER}: "
_ENDS: Final = {RuleAct.QUIET: CaseStatus.QUIET, RuleAct.DISMISS: CaseStatus.DISMISSED}


class Surroundings(NamedTuple):
    """What a rule looks at beside the case: the holder of its work, and the sites on whose hosts its page stands."""

    holder: str | None
    site_ids: Collection[str]


def author(rule: TriageRule) -> str:
    """Who did it, as cases and the audit log name a rule.

    >>> from datetime import datetime
    >>> author(TriageRule(id="1", name="转载", act=RuleAct.DISMISS, by="沈", at=datetime(2026, 1, 1)))
    'wenhen: 转载'
    """
    return f"{_MARK}{rule.name}"


def leads_to(rule: TriageRule) -> CaseStatus | None:
    """The status to which a rule moves cases; None: it assigns them."""
    return _ENDS.get(rule.act)


def fits(rule: TriageRule, case: Case, around: Surroundings) -> bool:
    """Whether a rule is for such a case, whatever people have done with it."""
    if rule.work_id not in (None, case.work_id) or rule.holder not in (None, around.holder):
        return False
    if rule.site_id is not None and rule.site_id not in around.site_ids:
        return False
    if rule.act is RuleAct.DISMISS:
        return case.licence_id is not None and case.credited is not False
    return rule.act is RuleAct.ASSIGN or _largest_share(case) < (rule.share_below or 0.0)


def acting_on(rules: Iterable[TriageRule], case: Case, around: Surroundings) -> list[TriageRule]:
    """The rules that act on a lead on which nobody has decided: one that moves it, a dismissal before all others, and
    one that assigns it; of several the one that names the most particular place, then the oldest.
    """
    if case.status is not CaseStatus.LEAD or not case.present or not all(by_rule(move.by) for move in case.history):
        return []
    able = sorted((one for one in rules if _may(one, case) and fits(one, case, around)), key=_precedence)
    moving = next((one for one in able if one.act is not RuleAct.ASSIGN), None)
    if moving is not None and moving.act is RuleAct.DISMISS:
        return [moving]
    assigning = next((one for one in able if one.act is RuleAct.ASSIGN), None)
    return [one for one in (assigning, moving) if one is not None]


def by_rule(who: str) -> bool:
    """Whether a rule decided, or the machine that took back what a rule had done."""
    return who == WAKER or who.startswith(_MARK)


def outlived(case: Case) -> bool:
    """Whether a rule dismissed the case for a licence that covers it no more."""
    dismissed = case.status is CaseStatus.DISMISSED and (case.decided_by or "").startswith(_MARK)
    return dismissed and case.licence_id is None


def _may(rule: TriageRule, case: Case) -> bool:
    if rule.act is RuleAct.ASSIGN:
        return case.assignee is None
    return rule.act is RuleAct.DISMISS or not case.history  # a copy that grew is not silenced again


def _largest_share(case: Case) -> float:
    return max(case.match.share_of_page, case.match.share_of_work)


def _precedence(rule: TriageRule) -> tuple[bool, bool, bool, bool, str]:
    places = (rule.work_id is None, rule.site_id is None, rule.holder is None)
    return rule.act is not RuleAct.DISMISS, *places, rule.at.isoformat() + rule.id
