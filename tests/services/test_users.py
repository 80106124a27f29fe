"""Users are an administrator's; everybody has an account of their own, and nobody else's."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from services.acting import Acting
from services.alerts import own_rules
from services.cases import saved_filters
from services.cases.case_filter import Filter
from services.people import account, preferences, users
from store.errors import BadInput, Conflict, Forbidden, NotFound
from store.records import AlertEvent, Role, User
from store.rules.role_rights import RIGHTS, Right
from tests.support.acting import by
from tests.support.people import PASSWORD, add_user
from wenhen.wiring import App

OTHER = "another long password"


@pytest.mark.parametrize(
    "change",
    [
        lambda acting: users.add(acting, "顾", Role.OPERATOR),
        lambda acting: users.set_role(acting, "沈 yan", Role.ADMINISTRATOR),
        lambda acting: users.disable(acting, "沈 yan"),
        lambda acting: users.enable(acting, "沈 yan"),
        lambda acting: users.reset_password(acting, "沈 yan"),
        lambda acting: users.drop_second_factor(acting, "沈 yan"),
        lambda acting: users.remove(acting, "沈 yan"),
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
        lambda acting, id: users.set_role(acting, id, Role.OPERATOR),
        users.disable,
        users.remove,
    ],
)
def test_of_two_administrators_who_put_each_other_out_at_once_one_stays(
    product: App, monkeypatch: pytest.MonkeyPatch, change: Callable[[Acting, str], object]
) -> None:
    first, second = (users.add(by(product), name, Role.ADMINISTRATOR)[0] for name in ("甲", "乙"))
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
        users.add(by(product), name, Role.OPERATOR)


def test_the_last_who_administers_stays_until_there_is_another(product: App) -> None:
    add_user(product.store, "chief", Role.ADMINISTRATOR)
    for change in (users.disable, users.remove, lambda acting, id: users.set_role(acting, id, Role.LAWYER)):
        with pytest.raises(Conflict, match="last administrator"):
            change(by(product), "chief")
    users.add(by(product), "second", Role.ADMINISTRATOR)
    users.disable(by(product), "second")
    with pytest.raises(Conflict):
        users.disable(by(product), "chief")
    users.enable(by(product), "second")
    assert users.disable(by(product), "chief").disabled_at is not None


def test_who_is_added_under_the_name_of_somebody_who_left_gets_nothing_of_theirs(product: App) -> None:
    users.add(by(product), "张", Role.LAWYER)
    own = replace(by(product, "张", RIGHTS[Role.LAWYER]), user_id="张")
    own_rules.add(own, "新案件", Filter(), [AlertEvent.NEW], channel="json://gone.example/")
    saved_filters.save(own, "我的", Filter(host="a.example"))
    preferences.prefer(own, replace(preferences.preferences(own), goes_on=True))
    own_rules.add(by(product, "陆"), "别人的", Filter(), [AlertEvent.NEW])
    users.remove(by(product), "张")
    users.add(by(product), "张", Role.LAWYER)
    assert own_rules.of(own) == []
    assert saved_filters.saved_filters(own) == []
    assert not preferences.preferences(own).goes_on
    assert [rule.name for rule in product.store.alerts.rules()] == ["别人的"]


def test_a_command_has_no_account_and_an_account_is_changed_by_its_own_user_alone(product: App) -> None:
    user = add_user(product.store)
    with pytest.raises(Forbidden):
        account.change_password(by(product), PASSWORD, OTHER)
    own = replace(by(product, user.name, RIGHTS[user.role]), user_id=user.id)
    with pytest.raises(BadInput, match="present password"):
        account.change_password(own, OTHER, PASSWORD)
    with pytest.raises(NotFound):
        account.change_password(replace(own, user_id="gone"), PASSWORD, OTHER)
    account.change_password(own, PASSWORD, OTHER)
    with pytest.raises(BadInput, match="is the present one"):
        account.change_password(own, OTHER, OTHER)
    actions = [(entry.who, entry.action) for entry in product.store.audit.find()]
    assert actions == [(user.name, "user.change_password"), (user.name, "user.refuse")]
