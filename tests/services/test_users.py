"""Users are an administrator's; everybody has an account of their own, and nobody else's."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.acting import by
from tests.support.people import PASSWORD, add_user
from wenhen.accounts.model import User
from wenhen.accounts.users import (
    change_own_password,
    create_user,
    delete_user,
    disable_user,
    enable_user,
    get_preferences,
    reset_second_factor,
    reset_user_password,
    set_preferences,
    set_user_role,
)
from wenhen.alerts.alert_rules import create_alert_rule, own_alert_rules
from wenhen.alerts.model import AlertEvent
from wenhen.cases.filters import Filter, find_saved_filters, save_filter
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound
from wenhen.kit.rights import RIGHTS, Right, Role
from wenhen.runtime.wiring import App

OTHER = "another long password"


@pytest.mark.parametrize(
    "change",
    [
        lambda acting: create_user(acting, "顾", Role.OPERATOR),
        lambda acting: set_user_role(acting, "沈 yan", Role.ADMINISTRATOR),
        lambda acting: disable_user(acting, "沈 yan"),
        lambda acting: enable_user(acting, "沈 yan"),
        lambda acting: reset_user_password(acting, "沈 yan"),
        lambda acting: reset_second_factor(acting, "沈 yan"),
        lambda acting: delete_user(acting, "沈 yan"),
    ],
)
def test_who_may_not_manage_users_changes_none(product: App, change: Callable[[Acting], object]) -> None:
    before = add_user(product.store)
    with pytest.raises(Forbidden):
        change(by(product, rights=frozenset(Right) - {Right.USERS}))
    assert product.store.users.all() == [before]
    assert product.store.audit.count() == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda acting, id: set_user_role(acting, id, Role.OPERATOR),
        disable_user,
        delete_user,
    ],
)
def test_of_two_administrators_who_put_each_other_out_at_once_one_stays(
    product: App, monkeypatch: pytest.MonkeyPatch, change: Callable[[Acting, str], object]
) -> None:
    first, second = (create_user(by(product), name, Role.ADMINISTRATOR)[0] for name in ("甲", "乙"))
    before, known = product.store.users.get(first.id), product.store.users.all

    def put_out_after() -> list[User]:
        monkeypatch.undo()
        found = known()
        change(by(product), second.id)
        return found

    monkeypatch.setattr(product.store.users, "all", put_out_after)
    with pytest.raises(Conflict, match="last administrator"):
        change(by(product), first.id)
    assert product.store.users.get(first.id) == before


@pytest.mark.parametrize("name", ["", " \n", "a\0b", "x" * 61])
def test_a_name_that_cannot_be_shown_in_a_line_is_refused(product: App, name: str) -> None:
    with pytest.raises(BadInput, match="1 to 60"):
        create_user(by(product), name, Role.OPERATOR)


def test_the_last_who_administers_stays_until_there_is_another(product: App) -> None:
    add_user(product.store, "chief", Role.ADMINISTRATOR)
    for change in (disable_user, delete_user, lambda acting, id: set_user_role(acting, id, Role.LAWYER)):
        with pytest.raises(Conflict, match="last administrator"):
            change(by(product), "chief")
    create_user(by(product), "second", Role.ADMINISTRATOR)
    disable_user(by(product), "second")
    with pytest.raises(Conflict):
        disable_user(by(product), "chief")
    enable_user(by(product), "second")
    assert disable_user(by(product), "chief").disabled_at is not None


def test_who_is_added_under_the_name_of_somebody_who_left_gets_nothing_of_theirs(product: App) -> None:
    create_user(by(product), "张", Role.LAWYER)
    own = replace(by(product, "张", RIGHTS[Role.LAWYER]), user_id="张")
    create_alert_rule(own, "新案件", Filter(), [AlertEvent.NEW], channel="json://gone.example/")
    save_filter(own, "我的", Filter(host="a.example"))
    set_preferences(own, replace(get_preferences(own), goes_on=True))
    create_alert_rule(by(product, "陆"), "别人的", Filter(), [AlertEvent.NEW])
    delete_user(by(product), "张")
    create_user(by(product), "张", Role.LAWYER)
    assert own_alert_rules(own) == []
    assert find_saved_filters(own) == []
    assert not get_preferences(own).goes_on
    assert [rule.name for rule in product.store.alerts.rules()] == ["别人的"]


def test_a_command_has_no_account_and_an_account_is_changed_by_its_own_user_alone(product: App) -> None:
    user = add_user(product.store)
    with pytest.raises(Forbidden):
        change_own_password(by(product), PASSWORD, OTHER)
    own = replace(by(product, user.name, RIGHTS[user.role]), user_id=user.id)
    with pytest.raises(BadInput, match="present password"):
        change_own_password(own, OTHER, PASSWORD)
    with pytest.raises(NotFound):
        change_own_password(replace(own, user_id="gone"), PASSWORD, OTHER)
    change_own_password(own, PASSWORD, OTHER)
    with pytest.raises(BadInput, match="is the present one"):
        change_own_password(own, OTHER, OTHER)
    actions = [(entry.who, entry.action) for entry in product.store.audit.find()]
    assert actions == [(user.name, "user.change_password"), (user.name, "user.refuse")]
