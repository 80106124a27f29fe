"""A rule says what it would have done, acts once it is on, and every act can be read in the audit log."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.acting import by
from tests.support.seed import Seeder, watched
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import Case, CaseStatus
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right
from wenhen.licences.service import add_licence, remove_licence
from wenhen.runtime.wiring import App
from wenhen.triage.model import RuleAct
from wenhen.triage.service import (
    add_rule,
    apply_rules_to_waiting,
    apply_triage_rules,
    find_rules,
    preview_rule,
    remove_rule,
    switch_rule,
)


@pytest.fixture
def four(product: App) -> App:
    """Four cases of one work: two on a watched site, one that a licence covers, one that copies next to nothing."""
    seed = Seeder(product.store)
    seed.work()
    product.store.sites.put(watched("抄书网"))
    for url in ("https://copies.example/1", "https://copies.example/2", "https://morning.example/3"):
        seed.case(url)
    add_licence(by(product), "晨读网", "morning.example")
    little(seed.case("https://forum.example/4"), product)
    return product


def little(case: Case, product: App) -> None:
    product.store.cases.set_match(
        case, replace(case.match, share_of_page=0.01, share_of_work=0.02), None, product.now()
    )


def there(product: App) -> list[tuple[CaseStatus, str | None]]:
    found = product.store.cases.many([1, 2, 3, 4])
    return [(found[number].status, found[number].assignee) for number in (1, 2, 3, 4)]


def switched_on(product: App, name: str, act: RuleAct, **values: Any) -> str:
    rule = add_rule(by(product), name, act, **values)
    return switch_rule(by(product), rule.id, True).id


def test_what_a_rule_would_have_done_is_told_before_it_is_on_and_what_people_did(four: App) -> None:
    decide_cases(by(four), [1], CaseStatus.CONFIRMED)
    rule = add_rule(by(four), "抄书网归我", RuleAct.ASSIGN, assignee="陆", site_id="copies")
    told = preview_rule(by(four), rule)
    assert (told.cases, told.waiting, told.whole) == (2, 1, True)
    assert told.decided == {CaseStatus.CONFIRMED: 1, CaseStatus.LEAD: 1}
    assert [case.number for case in told.rows] == [2, 1]
    assert not rule.on
    assert four.store.audit.count(action="case.assign") == 0


def test_a_rule_acts_on_what_waits_and_on_what_opens_and_writes_it_down(four: App) -> None:
    switched_on(four, "授权转载", RuleAct.DISMISS)
    switched_on(four, "零星引用", RuleAct.QUIET, share_below=0.05)
    switched_on(four, "社里的", RuleAct.ASSIGN, assignee="陆", holder="河岸文艺社")
    lead, quiet, dismissed = CaseStatus.LEAD, CaseStatus.QUIET, CaseStatus.DISMISSED
    assert there(four) == [(lead, "陆"), (lead, "陆"), (dismissed, None), (quiet, None)]
    told = [(one.who, one.action, one.subject) for one in four.store.audit.find() if one.who.startswith("wenhen")]
    assert sorted(told) == [
        ("wenhen: 授权转载", "case.decide", "case:3"),
        ("wenhen: 社里的", "case.assign", "case:1"),
        ("wenhen: 社里的", "case.assign", "case:2"),
        ("wenhen: 零星引用", "case.decide", "case:4"),
    ]
    assert four.store.cases.get("3").reason == "授权转载"
    opened = Seeder(four.store).case("https://copies.example/5")
    assert apply_triage_rules(four, [opened]) == 1
    assert four.store.cases.get("5").assignee == "陆"


def test_what_a_rule_silenced_wakes_up_as_anything_quiet_and_is_not_silenced_again(four: App) -> None:
    switched_on(four, "零星引用", RuleAct.QUIET, share_below=0.05)
    case = four.store.cases.get("4")
    grown = replace(case, match=replace(case.match, share_of_work=0.04))
    assert four.store.cases.open_or_update(grown)[0].status is CaseStatus.LEAD
    assert apply_triage_rules(four, [four.store.cases.get("4")]) == 0


def test_without_its_licence_a_dismissal_by_a_rule_is_a_lead_and_a_persons_stands(four: App) -> None:
    decide_cases(by(four), [1], CaseStatus.DISMISSED, note="合理引用")
    switched_on(four, "授权转载", RuleAct.DISMISS)
    switched_on(four, "都归我", RuleAct.ASSIGN, assignee="陆")
    licence = four.store.licences.all()[0]
    remove_licence(by(four), licence.id)
    assert there(four)[0] == (CaseStatus.DISMISSED, None)
    assert there(four)[2] == (CaseStatus.LEAD, "陆")
    add_licence(by(four), "晨读网", "morning.example")
    assert there(four)[2][0] is CaseStatus.DISMISSED


def test_a_rule_that_is_off_does_nothing_more_and_goes_without_a_trace_of_its_acts_lost(four: App) -> None:
    id = switched_on(four, "都归我", RuleAct.ASSIGN, assignee="陆")
    switch_rule(by(four), id, False)
    assert apply_triage_rules(four, [Seeder(four.store).case("https://copies.example/5")]) == 0
    assert apply_rules_to_waiting(four, 100) == 0
    remove_rule(by(four), id)
    assert find_rules(four) == []
    assert there(four)[0] == (CaseStatus.LEAD, "陆")


@pytest.mark.parametrize(
    ("name", "act", "values", "code"),
    [
        (" ", RuleAct.DISMISS, {}, "rules.unnamed"),
        ("授权转载", RuleAct.DISMISS, {}, "rules.name_taken"),
        ("某人", RuleAct.ASSIGN, {"assignee": "无此人"}, "cases.nobody"),
        ("零星", RuleAct.QUIET, {"share_below": 0.0}, "rules.share"),
        ("零星", RuleAct.QUIET, {"share_below": 3.0}, "rules.share"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(
    product: App, name: str, act: RuleAct, values: dict[str, Any], code: str
) -> None:
    add_rule(by(product), "授权转载", RuleAct.DISMISS)
    with pytest.raises(BadInput) as refused:
        add_rule(by(product), name, act, **values)
    assert refused.value.message.code == code


def test_whoever_assigns_may_let_a_rule_assign_and_not_let_one_silence(product: App) -> None:
    reviewer = by(product, rights={Right.DECIDE, Right.ASSIGN})
    add_rule(reviewer, "都归我", RuleAct.ASSIGN, assignee="陆")
    with pytest.raises(Forbidden, match="proceed"):
        add_rule(reviewer, "授权转载", RuleAct.DISMISS)
    with pytest.raises(NotFound, match="nowhere"):
        switch_rule(reviewer, "nowhere", True)
