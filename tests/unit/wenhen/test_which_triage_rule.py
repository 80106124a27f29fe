"""Rules of triage act on leads that nobody has decided on, and on no others."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.samples import NOON, case, match
from wenhen.cases.model import CaseStatus, Move
from wenhen.triage.model import CaseSurroundings, RuleAct, TriageRule, is_dismissal_outdated, select_rules

HERE = CaseSurroundings("河岸文艺社", {"copies"})
LITTLE: dict[str, Any] = {"match": match(share_of_page=0.01, share_of_work=0.02)}
LICENSED: dict[str, Any] = {"licence_id": "l1"}


def rule(act: RuleAct, id: str = "r", minute: int = 0, **places: Any) -> TriageRule:
    return TriageRule(id=id, name=id, act=act, by="沈", at=NOON + timedelta(minutes=minute), on=True, **places)


ASSIGN = rule(RuleAct.ASSIGN, assignee="陆")
QUIET = rule(RuleAct.QUIET, share_below=0.05)
DISMISS = rule(RuleAct.DISMISS)


@pytest.mark.parametrize(
    ("one", "values", "acts"),
    [
        (ASSIGN, {}, True),
        (ASSIGN, {"assignee": "王"}, False),
        (QUIET, {}, False),
        (QUIET, LITTLE, True),
        (QUIET, {"match": match(share_of_page=0.01, share_of_work=0.4)}, False),
        (QUIET, LITTLE | {"history": (Move(status=CaseStatus.LEAD, at=NOON, by="wenhen"),)}, False),
        (DISMISS, {}, False),
        (DISMISS, LICENSED, True),
        (DISMISS, LICENSED | {"credited": True}, True),
        (DISMISS, LICENSED | {"credited": False}, False),
        (DISMISS, LICENSED | {"history": (Move(status=CaseStatus.LEAD, at=NOON, by="wenhen"),)}, True),
        (DISMISS, LICENSED | {"history": (Move(status=CaseStatus.LEAD, at=NOON, by="沈"),)}, False),
        (DISMISS, LICENSED | {"status": CaseStatus.CONFIRMED}, False),
        (DISMISS, LICENSED | {"status": CaseStatus.SUSPECTED}, False),
        (DISMISS, LICENSED | {"present": False}, False),
    ],
)
def test_a_rule_acts_on_what_it_is_for_unless_a_person_has_decided(
    one: TriageRule, values: dict[str, Any], acts: bool
) -> None:
    assert (select_rules([one], case(**values), HERE) == [one]) is acts


@pytest.mark.parametrize(
    ("places", "acts"),
    [
        ({"work_id": "w1", "site_id": "copies", "holder": "河岸文艺社"}, True),
        ({"work_id": "w2"}, False),
        ({"site_id": "other"}, False),
        ({"work_id": "w1", "holder": "别家"}, False),
    ],
)
def test_every_place_that_a_rule_names_has_to_fit(places: dict[str, Any], acts: bool) -> None:
    assert bool(select_rules([rule(RuleAct.ASSIGN, assignee="陆", **places)], case(), HERE)) is acts


def test_the_most_particular_rule_assigns_and_a_dismissal_goes_before_all() -> None:
    by_holder = rule(RuleAct.ASSIGN, "h", assignee="陆", holder="河岸文艺社")
    by_site = rule(RuleAct.ASSIGN, "s", 1, assignee="王", site_id="copies")
    older = rule(RuleAct.ASSIGN, "a", -1, assignee="李")
    some = [older, by_holder, by_site, QUIET, DISMISS]
    assert select_rules(some, case(**LITTLE), HERE) == [by_site, QUIET]
    assert select_rules([older, ASSIGN], case(), HERE) == [older]
    assert select_rules(some, case(**LITTLE, **LICENSED), HERE) == [DISMISS]


def test_a_dismissal_outlives_its_licence_only_where_a_rule_made_it() -> None:
    dismissed = {"status": CaseStatus.DISMISSED, "decided_by": "wenhen: 转载"}
    assert is_dismissal_outdated(case(**dismissed))
    assert not is_dismissal_outdated(case(**dismissed | LICENSED))
    assert not is_dismissal_outdated(case(**dismissed | {"decided_by": "沈"}))
