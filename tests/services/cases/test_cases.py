"""What people do with cases: the bounds, rights and audit lines that screens, API and command share."""

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.acting import by
from tests.support.holders import paper, ready_holder
from tests.support.people import add_user
from tests.support.seed import NOW, Seeder
from wenhen.cases.comments_and_amounts import add_comment
from wenhen.cases.decisions import (
    MAX_ASSIGNEE_CHARACTERS,
    MAX_CASES_PER_ACTION,
    ask_second_opinion,
    assign_cases,
    decide_cases,
    open_statuses,
    undo_decision,
)
from wenhen.cases.filters import Filter, delete_filter, find_saved_filters, save_filter
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.notice_deadlines import NOTICE_TERM
from wenhen.cases.rules import NEXT_STATUSES
from wenhen.cases.service import count_open_cases
from wenhen.context.use_cases import Acting
from wenhen.holders.model import PaperKind
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Forbidden, NotFound
from wenhen.kit.rights import Right, Role
from wenhen.notices.content import make_notice_subject
from wenhen.notices.due_tasks import find_due_notices
from wenhen.runtime.wiring import App

LAWYER = frozenset(Right)
OPERATOR = LAWYER - {Right.PROCEED}


@pytest.fixture
def one(product: App) -> App:
    """One case."""
    seed = Seeder(product.store)
    seed.work()
    seed.case()
    ready_holder(product.store)
    return replace(product, now=lambda: NOW)


def somebody(product: App, rights: Collection[Right] = LAWYER) -> Acting:
    return by(product, "李", rights)


def the_case(product: App) -> Case:
    return product.store.cases.get("1")


def test_a_confirmation_needs_its_grounds_where_the_setting_asks_for_them(one: App) -> None:
    settings = one.settings
    asking = settings.model_copy(update={"notice": settings.notice.model_copy(update={"grounds": True})})
    acting = somebody(replace(one, settings=asking))
    with pytest.raises(BadInput, match="grounds"):
        decide_cases(acting, [1], CaseStatus.CONFIRMED, note=" ")
    assert decide_cases(acting, [1], CaseStatus.CONFIRMED, note="全文照搬").moved == (1,)


def test_beyond_the_confirmation_only_who_may_proceed_decides(one: App) -> None:
    operator, lawyer = somebody(one, OPERATOR), somebody(one)
    assert decide_cases(operator, [1], CaseStatus.CONFIRMED).moved == (1,)
    assert set(open_statuses(lawyer, the_case(one))) == set(NEXT_STATUSES[CaseStatus.CONFIRMED])
    assert open_statuses(operator, the_case(one)) == [CaseStatus.DISMISSED, CaseStatus.LEAD]
    with pytest.raises(Forbidden, match="proceed"):
        decide_cases(operator, [1], CaseStatus.NOTICE_SENT)
    decide_cases(lawyer, [1], CaseStatus.NOTICE_SENT)
    back = decide_cases(operator, [1], CaseStatus.CONFIRMED)
    assert (back.moved, back.stayed) == ((), (1,))
    assert open_statuses(operator, the_case(one)) == []
    assert the_case(one).status is CaseStatus.NOTICE_SENT


def test_without_the_right_nothing_is_done(one: App) -> None:
    reader = somebody(one, {Right.READ})
    with pytest.raises(Forbidden):
        decide_cases(reader, [1], CaseStatus.CONFIRMED)
    with pytest.raises(Forbidden):
        undo_decision(reader, "x")
    with pytest.raises(Forbidden):
        assign_cases(reader, [1], "王")
    with pytest.raises(Forbidden):
        add_comment(reader, 1, "看")
    assert the_case(one).history == ()
    assert one.store.audit.count() == 0


def test_what_cannot_be_is_refused_and_nothing_is_decided(one: App) -> None:
    lawyer = somebody(one)
    with pytest.raises(BadInput, match="reason"):
        decide_cases(lawyer, [1], CaseStatus.DISMISSED, note="  ")
    with pytest.raises(BadInput, match="at most"):
        decide_cases(lawyer, range(MAX_CASES_PER_ACTION + 1), CaseStatus.CONFIRMED)
    with pytest.raises(BadInput, match="deadline"):
        decide_cases(lawyer, [1], CaseStatus.NOTICE_SENT, deadline=NOW - timedelta(days=1))
    with pytest.raises(BadInput, match="at most"):
        assign_cases(lawyer, range(MAX_CASES_PER_ACTION + 1), "王")
    with pytest.raises(BadInput, match="empty"):
        add_comment(lawyer, 1, " ")
    with pytest.raises(NotFound):
        add_comment(lawyer, 9, "看")
    assert the_case(one).history == ()
    assert one.store.audit.count() == 0


def test_cases_that_are_not_there_are_neither_moved_nor_left(one: App) -> None:
    done = decide_cases(somebody(one), [1, 7, 1], CaseStatus.CONFIRMED)
    assert (done.moved, done.stayed) == ((1,), ())


def test_a_notice_without_dates_is_sent_now_and_gives_a_week_and_its_audit_line_says_so(one: App) -> None:
    decide_cases(somebody(one), [1], CaseStatus.CONFIRMED)
    done = decide_cases(somebody(one), [1], CaseStatus.NOTICE_SENT)
    assert (the_case(one).notice_at, the_case(one).deadline) == (NOW, NOW + NOTICE_TERM)
    line = one.store.audit.find()[0]
    assert (line.who, line.action, line.subject, line.old) == ("李", "case.decide", "case:1", '{"status": "confirmed"}')
    assert json.loads(line.new or "") == {
        "status": "notice_sent",
        "notice_at": NOW.isoformat(),
        "deadline": (NOW + NOTICE_TERM).isoformat(),
    }
    assert undo_decision(somebody(one), done.batch) == (1,)
    assert undo_decision(somebody(one), done.batch) == ()
    back = one.store.audit.find()[0]
    assert (back.action, back.old, back.new) == ("case.undo", '{"status": "notice_sent"}', '{"status": "confirmed"}')


def test_an_operator_undoes_neither_what_a_lawyer_did_nor_what_leads_beyond_the_confirmation(one: App) -> None:
    lawyer, operator = by(one, "顾", LAWYER), by(one, "沈", OPERATOR)
    confirmed = decide_cases(operator, [1], CaseStatus.CONFIRMED)
    assert undo_decision(operator, confirmed.batch) == (1,)
    decide_cases(lawyer, [1], CaseStatus.CONFIRMED)
    sent = decide_cases(lawyer, [1], CaseStatus.NOTICE_SENT)
    with pytest.raises(Forbidden):
        undo_decision(operator, sent.batch)
    back = decide_cases(lawyer, [1], CaseStatus.CONFIRMED)  # a status that an operator decides on, from one that is not
    with pytest.raises(Forbidden):
        undo_decision(operator, back.batch)
    dismissed = decide_cases(lawyer, [1], CaseStatus.DISMISSED, note="误判")
    with pytest.raises(Forbidden):
        undo_decision(operator, dismissed.batch)
    assert the_case(one).status is CaseStatus.DISMISSED
    assert undo_decision(by(one, "陆", LAWYER), dismissed.batch) == (1,)  # who pursues cases may
    assert one.store.audit.find(who="沈", action="case.undo")[0].old == '{"status": "confirmed"}'


def test_who_is_given_what_he_has_changes_nothing(one: App) -> None:
    operator = somebody(one)
    assert [assign_cases(operator, [1], who).count for who in ("王", "王", " ")] == [1, 0, 1]
    assert [entry.new for entry in reversed(one.store.audit.find())] == ['{"assignee": "王"}', None]


def test_a_name_that_is_too_long_is_cut_for_everybody_alike(one: App) -> None:
    assert (
        assign_cases(somebody(one), [1], "王" * 99).assignee == "王" * MAX_ASSIGNEE_CHARACTERS == the_case(one).assignee
    )


def test_work_is_given_to_people_who_can_do_it(one: App) -> None:
    add_user(one.store, "Wang Fang", Role.REVIEWER)
    left = add_user(one.store, "李四", Role.REVIEWER)
    one.store.users.change(left.id, {"disabled_at": NOW})
    assert assign_cases(somebody(one), [1], "wang fang").assignee == "Wang Fang"
    for name, words in (("王五", "nobody is called 王五"), ("李四", "the account of 李四 is disabled")):
        with pytest.raises(BadInput, match=words):
            assign_cases(somebody(one), [1], name)
        with pytest.raises(BadInput, match=words):
            ask_second_opinion(somebody(one), [1], name)
    assert the_case(one).assignee == "Wang Fang"
    assert count_open_cases(one, "Wang Fang") == 1


def test_a_filter_is_kept_as_the_address_has_it_for_who_saved_it(one: App) -> None:
    kept = save_filter(somebody(one), " 照搬 ", Filter(status=CaseStatus.LEAD, q="修船 a/b:c", share_from=0.5))
    assert (kept.name, kept.query) == ("照搬", "status=lead&q=%E4%BF%AE%E8%88%B9+a/b:c&share_from=0.5")
    assert find_saved_filters(by(one, "王")) == []
    with pytest.raises(NotFound):
        delete_filter(by(one, "王"), kept.id)
    delete_filter(somebody(one), kept.id)
    assert find_saved_filters(somebody(one)) == []
    with pytest.raises(BadInput, match="name"):
        save_filter(somebody(one), "  ", Filter())


def test_a_notice_is_due_until_it_is_sent(one: App) -> None:
    assert find_due_notices(one) == []
    decide_cases(somebody(one), [1], CaseStatus.CONFIRMED)
    assert [(due.host, due.holder, due.copies, due.case) for due in find_due_notices(one)] == [
        ("copies.example", "河岸文艺社", 1, 1)
    ]
    notice = make_notice_subject(one, the_case(one))
    assert (notice.to_send, notice.missing) == ([1], [])
    decide_cases(somebody(one), notice.to_send, CaseStatus.NOTICE_SENT)
    assert find_due_notices(one) == []


def test_no_notice_is_sent_while_its_holder_lacks_a_paper_and_the_refusal_says_which(one: App) -> None:
    decide_cases(somebody(one), [1], CaseStatus.CONFIRMED)
    today = china_day(NOW)
    ready_holder(
        one.store,
        address=None,
        papers=(paper(PaperKind.IDENTITY), paper(PaperKind.REPRESENTATIVE), paper(PaperKind.AUTHORITY, days=-1)),
    )
    with pytest.raises(BadInput) as refused:
        decide_cases(somebody(one), [1], CaseStatus.NOTICE_SENT)
    assert str(refused.value) == (
        "河岸文艺社: no notice can be sent yet, it lacks the holder's address; the power of attorney (out of date "
        f"since {today - timedelta(days=1)}); proof that the rights are the holder's (none was given). "
        "Complete it under Works → Rights holders."
    )
    assert the_case(one).status is CaseStatus.CONFIRMED
    ready_holder(one.store)
    decide_cases(somebody(one), [1], CaseStatus.NOTICE_SENT)
    assert the_case(one).status is CaseStatus.NOTICE_SENT


def test_a_notice_is_held_against_the_papers_of_its_own_day(one: App) -> None:
    decide_cases(somebody(one), [1], CaseStatus.CONFIRMED)
    with pytest.raises(BadInput, match="valid only from"):
        decide_cases(somebody(one), [1], CaseStatus.NOTICE_SENT, notice_at=NOW - timedelta(days=400), deadline=NOW)


def test_the_work_of_nobody_makes_no_notice(one: App) -> None:
    Seeder(one.store).work(owner=None)
    decide_cases(somebody(one), [1], CaseStatus.CONFIRMED)
    with pytest.raises(BadInput, match="work of case #1 has no holder"):
        decide_cases(somebody(one), [1], CaseStatus.NOTICE_SENT)
