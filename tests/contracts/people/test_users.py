"""Users, their sessions and their tokens: kept once, counted by one write, gone when they are ended."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from tests.support.samples import NOON, at_once
from wenhen.accounts.model import Session, Token, User
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.rights import Role

SHEN = User(id="沈 yan", name="沈 Yan", role=Role.OPERATOR, password="$argon2id$…", added_at=NOON)
LATER = NOON + timedelta(hours=1)


def session(id: str, user_id: str = SHEN.id) -> Session:
    return Session(
        id=id, user_id=user_id, begun_at=NOON, seen_at=NOON, ends_at=LATER, address="127.0.0.1", agent="browser"
    )


def token(id: str, user_id: str = SHEN.id) -> Token:
    return Token(id=id, name="nightly", user_id=user_id, digest="d", scopes=("read",), created_at=NOON)


def test_a_user_comes_back_whole_is_changed_and_removed(store: Store) -> None:
    store.users.add(SHEN)
    with pytest.raises(Conflict, match="沈 yan"):
        store.users.add(SHEN)
    assert store.users.get(SHEN.id) == SHEN
    assert store.users.change(SHEN.id, {"role": Role.LAWYER, "disabled_at": NOON}) == replace(
        SHEN, role=Role.LAWYER, disabled_at=NOON
    )
    assert [user.id for user in store.users.all()] == [SHEN.id]
    store.users.remove(SHEN.id)
    for gone in (partial(store.users.get, SHEN.id), partial(store.users.remove, SHEN.id)):
        with pytest.raises(NotFound):
            gone()
    with pytest.raises(NotFound):
        store.users.change(SHEN.id, {"role": Role.LAWYER})


def test_a_code_is_taken_once(store: Store) -> None:
    store.users.add(replace(SHEN, recovery=("a", "b")))
    assert at_once(*[partial(store.users.take_step, SHEN.id, 100)] * 4).count(True) == 1
    assert not store.users.take_step(SHEN.id, 99)
    assert store.users.take_step(SHEN.id, 101)
    assert at_once(*[partial(store.users.take_recovery, SHEN.id, "a")] * 4).count(True) == 1
    assert store.users.get(SHEN.id).recovery == ("b",)


def test_a_session_is_there_until_it_is_ended(store: Store) -> None:
    for id in "abc":
        store.sessions.add(session(id))
    store.sessions.add(session("d", "other"))
    store.sessions.mark_seen("b", LATER)
    assert next(one.id for one in store.sessions.of(SHEN.id)) == "b"
    store.sessions.end("a")
    assert store.sessions.get("a") is None
    assert store.sessions.end_all(SHEN.id, but="b") == 1
    assert [one.id for one in store.sessions.of(SHEN.id)] == ["b"]
    assert store.sessions.get("d") == session("d", "other")


def test_a_token_is_revoked_once_and_stays_on_record(store: Store) -> None:
    store.tokens.add(token("a"))
    store.tokens.add(replace(token("b", "other"), created_at=LATER))
    store.tokens.mark_used("a", LATER)
    assert store.tokens.revoke("a", NOON).revoked_at == NOON
    assert store.tokens.revoke("a", LATER).revoked_at == NOON
    assert store.tokens.get("a").used_at == LATER
    store.tokens.add(replace(token("c"), parents=("b", "a")))
    store.tokens.add(replace(token("d"), parents=("b",)))
    store.tokens.revoke("b", LATER)
    assert [store.tokens.get(id).revoked_at for id in "bcd"] == [LATER] * 3
    store.tokens.add(token("e"))
    assert store.tokens.revoke_all(SHEN.id, LATER) == 1
    store.tokens.remove_of(SHEN.id)
    store.tokens.add(token("a"))
    assert [one.id for one in store.tokens.all()] == ["b", "a"]
    assert [one.id for one in store.tokens.all(user_id="other")] == ["b"]
    store.tokens.remove_of("other")
    with pytest.raises(NotFound):
        store.tokens.get("b")
