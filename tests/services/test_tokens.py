"""A token can do no more than its user and its maker, and is made and revoked by its user or an administrator."""

from dataclasses import replace

import pytest

from tests.support.acting import by
from tests.support.people import add_user
from wenhen.accounts.model import User
from wenhen.accounts.sessions import find_bearer, make_api_token, revoke_api_token
from wenhen.accounts.users import reset_user_password
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound
from wenhen.kit.rights import RIGHTS, ActingToken, Right, Role
from wenhen.runtime.wiring import App


def as_user(product: App, user: User) -> Acting:
    return replace(by(product, user.name, RIGHTS[user.role]), user_id=user.id)


def test_a_token_has_scopes_that_both_its_user_and_its_maker_have(product: App) -> None:
    user = add_user(product.store)
    for scopes in ({Right.USERS}, {Right.READ, Right.LICENCES}, set[Right]()):
        with pytest.raises(BadInput, match="no more than you have"):
            make_api_token(by(product), user, "ci", scopes, None)
    reader = replace(as_user(product, user), rights=frozenset({Right.READ, Right.ACCOUNT}))
    with pytest.raises(BadInput):
        make_api_token(reader, user, "ci", {Right.CHECK}, None)
    _, text = make_api_token(reader, user, "ci", {Right.READ}, None)
    found = find_bearer(product, text)
    assert found is not None
    assert found[2] == {Right.READ}


@pytest.mark.parametrize(("name", "days"), [(" ", 1), ("x" * 81, 1), ("a\0b", 1), ("ci", 0), ("ci", 3651)])
def test_a_token_needs_a_name_and_an_end_that_can_be_had(product: App, name: str, days: int) -> None:
    with pytest.raises(BadInput):
        make_api_token(by(product), add_user(product.store), name, {Right.READ}, days)
    assert product.store.tokens.all() == []


def test_a_token_that_was_made_through_another_lives_no_longer_and_dies_with_it(product: App) -> None:
    user = add_user(product.store)
    parent, _ = make_api_token(as_user(product, user), user, "parent", {Right.READ}, 3)
    through = replace(as_user(product, user), token=ActingToken(parent.id, parent.name))
    for days in (None, 1, 30):
        child, _ = make_api_token(through, user, "child", {Right.READ}, days)
        assert child.expires_at is not None
        assert parent.expires_at is not None
        assert child.expires_at <= parent.expires_at
    _, text = make_api_token(
        replace(through, token=ActingToken(child.id, child.name)), user, "grandchild", {Right.READ}, None
    )
    assert find_bearer(product, text) is not None
    revoke_api_token(as_user(product, user), parent.id)
    assert find_bearer(product, text) is None
    assert all(one.revoked_at for one in product.store.tokens.all())
    with pytest.raises(Conflict):
        make_api_token(through, user, "late", {Right.READ}, None)
    assert all(one.revoked_at for one in product.store.tokens.all())


def test_tokens_end_with_a_password_that_is_reset(product: App) -> None:
    user, other = add_user(product.store), add_user(product.store, "顾", Role.LAWYER)
    _, text = make_api_token(by(product), user, "ci", {Right.READ}, None)
    _, others = make_api_token(by(product), other, "ci", {Right.READ}, None)
    reset_user_password(by(product), user.id)
    assert find_bearer(product, text) is None
    assert find_bearer(product, others) is not None


def test_only_who_manages_users_makes_and_revokes_tokens_of_others(product: App) -> None:
    user, other = add_user(product.store), add_user(product.store, "顾", Role.LAWYER)
    token, _ = make_api_token(as_user(product, user), user, "ci", {Right.READ}, None)
    with pytest.raises(Forbidden):
        make_api_token(as_user(product, other), user, "ci", {Right.READ}, None)
    with pytest.raises(NotFound, match=token.id):
        revoke_api_token(as_user(product, other), token.id)
    assert revoke_api_token(by(product), token.id).revoked_at is not None
    revoke_api_token(as_user(product, user), token.id)
    assert [entry.action for entry in product.store.audit.find()] == ["token.revoke", "token.make"]  # once
