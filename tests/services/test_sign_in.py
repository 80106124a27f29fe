"""A right password, and a right code, let in; what is wrong is counted, told in the log and answered alike."""

from dataclasses import replace
from datetime import timedelta

import pyotp

from services.people import sessions, sign_in
from services.people.sealing import Seal
from services.people.sessions import Browser, Lengths
from tests.support.people import PASSWORD, add_user
from tests.support.samples import TurnedClock
from wenhen.wiring import App

HERE = Browser("198.51.100.7", "a browser")
SEAL = Seal("only for tests")


def log(product: App) -> list[tuple[str, str, str, str | None]]:
    return [(one.who, one.action, one.subject, one.new) for one in reversed(product.store.audit.find())]


def test_a_sign_in_is_refused_in_the_log_by_the_name_that_was_given(product: App) -> None:
    add_user(product.store)
    for name, password in (("nobody", PASSWORD), ("", ""), (" 沈 yan", "guess")):
        assert sign_in.check_password(product, name, password, HERE) is None
    assert log(product) == [
        ("nobody", "session.refuse", "user:nobody", "198.51.100.7"),
        ("?", "session.refuse", "user:?", "198.51.100.7"),
        ("沈 Yan", "session.refuse", "user:沈 Yan", "198.51.100.7"),
    ]
    assert product.store.users.get("沈 yan").failures == 1


def test_ten_wrong_passwords_or_codes_lock_a_name_for_a_quarter_of_an_hour(product: App) -> None:
    clock = TurnedClock()
    product = replace(product, now=clock)
    user = add_user(product.store, totp_secret=pyotp.random_base32())
    for _ in range(5):
        assert sign_in.check_password(product, user.name, "guess", HERE) is None
        assert not sign_in.check_code(product, SEAL, user, "no code", HERE)
    assert sign_in.check_password(product, user.name, PASSWORD, HERE) is None
    assert sign_in.is_locked(product, product.store.users.get(user.id))
    clock.turn(minutes=15)
    assert sign_in.check_password(product, user.name, PASSWORD, HERE) is not None


def test_a_session_lasts_while_it_is_used_and_no_longer_than_its_length(product: App) -> None:
    clock, lengths = TurnedClock(), Lengths(timedelta(hours=4), timedelta(hours=12))
    product = replace(product, now=clock)
    user = add_user(product.store)
    secret = sign_in.begin(sign_in.as_user(product, user), HERE, lengths)
    for _ in range(3):
        clock.turn(hours=3, minutes=59)
        assert sessions.user_of(product, secret, lengths) is not None
    clock.turn(minutes=3)
    assert sessions.user_of(product, secret, lengths) is None
    assert sessions.user_of(product, "guess", lengths) is None
    other = sign_in.begin(sign_in.as_user(product, user), HERE, lengths)
    clock.turn(hours=4)
    assert sessions.user_of(product, other, lengths) is None


def test_who_signs_out_is_out_and_nobody_else_is(product: App) -> None:
    user, lengths = add_user(product.store), Lengths()
    acting = sign_in.as_user(product, user)
    one, other = (sign_in.begin(acting, HERE, lengths) for _ in range(2))
    assert {session.agent for session in product.store.sessions.of(user.id)} == {"a browser"}
    sign_in.end(acting, one, HERE)
    assert sessions.user_of(product, one, lengths) is None
    assert sessions.user_of(product, other, lengths) is not None
    assert [action for _, action, _, _ in log(product)] == ["session.begin", "session.begin", "session.end"]
