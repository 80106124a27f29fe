"""A person is told what concerns them without a rule of theirs, and of whom a comment names."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.alerts import Mailbox
from tests.support.people import add_user
from tests.support.seed import Seeder
from wenhen.alerts.alert_rules import (
    create_alert_rule,
    delete_alert_rule,
    update_alert_rule,
)
from wenhen.alerts.mentions import comment_on_case, correct_own_comment
from wenhen.alerts.model import AlertEvent
from wenhen.alerts.notifications import create_notifications, send_due_letters
from wenhen.cases.decisions import ask_second_opinion, assign_cases, decide_cases, undo_decision
from wenhen.cases.filters import Filter
from wenhen.cases.model import CaseStatus
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.runtime.wiring import App


def person(product: App, name: str, mail: str | None) -> Acting:
    """Somebody who has been there for days."""
    user = add_user(product.store, name)
    product.store.users.change(user.id, {"mail": mail})
    return Acting(product, name, frozenset(Right), user_id=user.id)


def test_what_concerns_a_person_is_told_and_mailed_without_a_rule_of_theirs(
    product: App, seed: Seeder, mailbox: Mailbox
) -> None:
    notice = product.settings.notice.model_copy(
        update={"smtp": f"127.0.0.1:{mailbox.port}", "smtp_tls": False, "sender": "wenhen@example.org"}
    )
    product = replace(product, settings=product.settings.model_copy(update={"notice": notice}))
    seed.work()
    for number in range(1, 4):
        seed.case(f"https://copies.example/{number}")
    shen, lu = person(product, "沈", "shen@house.example"), person(product, "陆", None)
    product.store.cases.assign([3], "沈", moment=product.now() - timedelta(days=9))
    create_notifications(product)
    assert [rule.user for rule in product.store.alerts.rules() if rule.own] == ["沈", "陆"]
    assign_cases(lu, [1], "沈")
    ask_second_opinion(lu, [2], "沈", "是否算引用")
    comment_on_case(lu, 3, "@沈 请看")
    assign_cases(lu, [3], "陆")  # to oneself
    create_notifications(product)
    told = {(alert.event, alert.case_number) for alert in product.store.alerts.of_user("沈")}
    assert told == {(AlertEvent.ASSIGNED, 1), (AlertEvent.ASKED, 2), (AlertEvent.MENTIONED, 3)}
    assert product.store.alerts.of_user("陆") == []
    send_due_letters(product)
    [letter] = mailbox.letters
    assert (letter["To"], "#1" in letter.get_content(), "#3" in letter.get_content()) == (
        "shen@house.example",
        True,
        True,
    )
    comment_on_case(shen, 1, "@陆 好")
    create_notifications(product)
    [alert] = product.store.alerts.of_user("陆")
    product.store.users.change("陆", {"mail": "lu@house.example"})
    create_notifications(product)
    send_due_letters(product)
    assert (alert.event, len(mailbox.letters)) == (AlertEvent.MENTIONED, 1), "an address named later sends nothing old"


def test_who_pauses_the_rule_is_told_nothing_and_a_rule_of_ones_own_takes_its_place(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    shen, lu = person(product, "沈", None), person(product, "陆", None)
    create_notifications(product)
    rule = next(rule for rule in product.store.alerts.rules("沈") if rule.own)
    with pytest.raises(BadInput):
        delete_alert_rule(shen, rule.id)
    update_alert_rule(shen, rule.id, paused=True)
    assign_cases(lu, [1], "沈")
    comment_on_case(lu, 1, "@沈")
    create_notifications(product)
    assert product.store.alerts.of_user("沈") == []
    update_alert_rule(shen, rule.id, paused=False)
    made = create_alert_rule(shen, "给我的", Filter(), [AlertEvent.ASSIGNED, AlertEvent.MENTIONED])
    assign_cases(lu, [1], None)
    assign_cases(lu, [1], "沈")
    comment_on_case(lu, 1, "@沈")
    create_notifications(product)
    assert {alert.rule_id for alert in product.store.alerts.of_user("沈")} == {made.id}


def test_who_asked_for_an_opinion_is_told_once_of_the_comment_and_of_the_decision(product: App, seed: Seeder) -> None:
    seed.work()
    for number in range(1, 4):
        seed.case(f"https://copies.example/{number}")
    shen, lu = person(product, "沈", None), person(product, "陆", None)
    create_notifications(product)

    def told() -> list[int]:
        create_notifications(product)
        of_lu = product.store.alerts.of_user("陆")
        assert {alert.event for alert in of_lu} <= {AlertEvent.OPINION}
        return sorted(alert.case_number for alert in of_lu)

    ask_second_opinion(lu, [1, 2, 3], "沈", "是否算引用")
    assert product.store.cases.get("1").asked_by == "陆"
    comment_on_case(lu, 1, "我看像引用")
    assert told() == []
    comment_on_case(shen, 1, "超出引用的范围")
    comment_on_case(shen, 1, "另见第三段")
    assert told() == [1]
    made = decide_cases(shen, [1, 2], CaseStatus.CONFIRMED, undoable=True)
    decide_cases(lu, [3], CaseStatus.DISMISSED, note="引用")
    assert told() == [1, 1, 2], "what one decides oneself is no news"
    answered = product.store.cases.get("2")
    assert (answered.asked, answered.asked_by, answered.opinion and answered.opinion.by) == (None, None, "沈")
    undo_decision(shen, made.batch)
    again = product.store.cases.get("2")
    assert (again.asked, again.asked_by, again.opinion) == ("沈", "陆", None)
    decide_cases(lu, [2], CaseStatus.QUIET)
    assert told() == [1, 1, 2]


def test_rules_of_earlier_versions_tell_of_opinions_too_until_their_owner_wants_none(
    product: App, seed: Seeder
) -> None:
    seed.work()
    person(product, "沈", None)
    create_notifications(product)
    store = product.store.alerts
    [rule] = store.rules("沈")
    before = tuple(event for event in rule.events if event is not AlertEvent.OPINION)
    store.put_rule(replace(rule, events=before))
    create_notifications(product)
    assert store.rule(rule.id).events == before, "the owner wants none"
    product.store.marks.table.delete({"_id": "alerts:opinions"})
    create_notifications(product)
    assert store.rule(rule.id).events == (*before, AlertEvent.OPINION)


def test_who_only_the_corrected_comment_names_is_told(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    lu = person(product, "陆", None)
    person(product, "沈", None)
    person(product, "顾", None)
    create_notifications(product)
    said = comment_on_case(lu, 1, "@顾 请看")
    correct_own_comment(lu, 1, said.comment.id, "@顾 @沈 请看")
    assert [len(product.store.alerts.of_user(name)) for name in ("顾", "沈")] == [1, 1]


def test_a_name_that_nobody_has_is_said_with_those_near_it_and_the_comment_is_kept(product: App, seed: Seeder) -> None:
    seed.work()
    seed.case()
    lu = person(product, "陆", None)
    person(product, "沈岩", None)
    gone = person(product, "顾", None)
    product.store.users.change(gone.user_id or "", {"disabled_at": product.now()})
    done = comment_on_case(lu, 1, "@沈严 请看，@nobody @顾 也看；来信写给 a@b.test")
    assert [(one.name, one.near) for one in done.untold] == [("沈严", ("沈岩",)), ("nobody", ()), ("顾", ())]
    assert "Did you mean @沈岩?" in str(done.untold[0].said)
    assert [one.text for one in product.store.comments.of_case(1)] == [done.comment.text]
    assert product.store.alerts.of_user("沈岩") == []
    corrected = correct_own_comment(lu, 1, done.comment.id, "@沈岩请看，@陆 已看")
    assert corrected.untold == ()
    assert [alert.event for alert in product.store.alerts.of_user("沈岩")] == [AlertEvent.MENTIONED]
