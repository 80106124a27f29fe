"""A right password, and a right code, let in; what is wrong is counted, told in the log and answered alike."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pyotp
import pytest

from tests.support.people import PASSWORD, add_user
from tests.support.samples import TurnedClock, at_once
from wenhen.accounts.sessions import Browser, SessionLengths, find_session_user, session_lengths
from wenhen.accounts.sign_in import (
    acting_as,
    check_code,
    check_password,
    is_second_factor_missing,
    sign_user_in,
    sign_user_out,
    start_second_factor,
    turn_off_second_factor,
    turn_on_second_factor,
)
from wenhen.accounts.users import change_own_password
from wenhen.kit.errors import BadInput, TooManyTries
from wenhen.kit.rights import Role
from wenhen.kit.sealed_secrets import Seal
from wenhen.runtime.wiring import App
from wenhen.settings.dashboard_and_sign_in import DashboardSettings

HERE = Browser("198.51.100.7", "a browser")
SEAL = Seal(lambda: ["only for tests"])


def log(product: App) -> list[tuple[str, str, str, str | None]]:
    return [(one.who, one.action, one.subject, one.new) for one in reversed(product.store.audit.find())]


def test_a_sign_in_is_refused_in_the_log_by_the_name_that_was_given(product: App) -> None:
    add_user(product.store)
    for name, password in (("nobody", PASSWORD), ("", ""), (" 沈 yan", "guess")):
        assert check_password(product, name, password, HERE) is None
    assert log(product) == [
        ("nobody", "session.refuse", "user:nobody", "198.51.100.7"),
        ("?", "session.refuse", "user:?", "198.51.100.7"),
        ("沈 Yan", "session.refuse", "user:沈 Yan", "198.51.100.7"),
    ]


def guess(product: App, name: str = "沈 Yan", browser: Browser = HERE, password: str = "guess") -> int | None:
    """How long it has to wait; None for one that was looked at."""
    try:
        check_password(product, name, password, browser)
    except TooManyTries as error:
        return int(str(error.message.figures["seconds"]))
    return None


def test_strangers_who_guess_at_a_name_keep_its_owner_out_of_nowhere_but_where_they_are(product: App) -> None:
    user = add_user(product.store, "admin")
    assert [guess(product, "admin") for _ in range(7)] == [None] * 5 + [1, 1]
    assert guess(product, "admin", password=PASSWORD) == 1
    at_home = Browser("203.0.113.9")
    assert check_password(product, "admin", PASSWORD, at_home) is not None
    known = Browser(HERE.address, user_id=user.id, device_id="d")
    assert check_password(product, "admin", PASSWORD, known) is not None


def test_whoever_guesses_is_slowed_down_and_never_locked_out(product: App) -> None:
    clock = TurnedClock()
    product = replace(product, now=clock)
    add_user(product.store)
    pauses = []
    for _ in range(16):
        assert guess(product) is None
        pauses.append(guess(product) or 0)
        clock.turn(seconds=pauses[-1])
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0, 300)
    assert guess(product, password=PASSWORD) is None


def test_who_was_right_begins_anew(product: App) -> None:
    add_user(product.store)
    for _ in range(2):
        assert [guess(product) for _ in range(4)] == [None] * 4
        assert guess(product, password=PASSWORD) is None


def test_thirty_guesses_at_once_count_as_thirty(product: App) -> None:
    add_user(product.store)
    answers = at_once(*[partial(guess, product)] * 30)
    assert answers.count(None) <= 5  # the first by name may be a late one from its network, and then none is looked at
    assert guess(product) is not None
    assert len(log(product)) == answers.count(None)  # the others were not looked at


def test_guesses_from_everywhere_at_once_are_slowed_down_by_the_name_but_not_those_of_known_browsers(
    product: App,
) -> None:
    user = add_user(product.store)
    for place in range(60):
        guess(product, browser=Browser(f"198.51.100.{place}"))
    assert guess(product, browser=Browser("203.0.113.9"), password=PASSWORD) is not None
    known = Browser("203.0.113.9", user_id=user.id, device_id="d")
    assert guess(product, browser=known, password=PASSWORD) is None
    assert guess(product, "顾", Browser("203.0.113.9", user_id=user.id, device_id="d")) is None  # known to one alone


def test_a_name_that_nobody_has_waits_like_any_other(product: App) -> None:
    add_user(product.store)
    for name, place in (("沈 Yan", "198.51.100.1"), ("nobody", "198.51.100.2")):
        assert [guess(product, name, Browser(place)) for _ in range(6)] == [None] * 5 + [1]


def test_codes_are_counted_for_the_name_wherever_they_come_from(product: App) -> None:
    user = add_user(product.store, totp_secret=pyotp.random_base32())
    for place in range(5):
        assert not check_code(product, SEAL, user, "no code", Browser(f"198.51.100.{place}"))
    with pytest.raises(TooManyTries):
        check_code(product, SEAL, user, "no code", HERE)
    known = Browser(HERE.address, user_id=user.id, device_id="d")
    assert not check_code(product, SEAL, user, "no code", known)
    assert [action for _, action, _, _ in log(product)] == ["session.refuse"] * 6


@pytest.mark.parametrize("way", ["begin", "confirm", "drop", "change_password"])
def test_a_live_session_changes_what_lets_in_only_with_the_password_and_what_is_wrong_is_counted_and_told(
    product: App, way: str
) -> None:
    user = add_user(product.store, totp_secret=pyotp.random_base32())
    acting = acting_as(product, user)
    wrong: dict[str, Callable[[], object]] = {
        "begin": lambda: start_second_factor(acting, SEAL, "guess", "000000"),
        "confirm": lambda: turn_on_second_factor(acting, SEAL, "000000"),
        "drop": lambda: turn_off_second_factor(acting, SEAL, "guess", "000000"),
        "change_password": lambda: change_own_password(acting, "guess", "another long password"),
    }
    for _ in range(5):
        with pytest.raises(BadInput):
            wrong[way]()
    with pytest.raises(TooManyTries):
        wrong[way]()
    assert product.store.users.get(user.id) == user
    assert log(product) == [("沈 Yan", "user.refuse", "user:沈 yan", None)] * 5


def test_a_second_factor_is_replaced_only_with_a_code_of_the_present_one(product: App) -> None:
    totp = pyotp.TOTP(pyotp.random_base32())
    user = add_user(product.store, totp_secret=totp.secret)
    acting = acting_as(product, user)
    for code in ("", "000000"):
        with pytest.raises(BadInput, match="code"):
            start_second_factor(acting, SEAL, PASSWORD, code)
    for _ in range(3):
        with pytest.raises(BadInput, match="code"):
            start_second_factor(acting, SEAL, PASSWORD, "000000")
    with pytest.raises(TooManyTries):  # the right password makes no guess at the code undone
        start_second_factor(acting, SEAL, PASSWORD, "000000")
    assert product.store.users.get(user.id).totp_pending is None
    product.store.guesses.forget_all(user.id)
    start_second_factor(acting, SEAL, PASSWORD, totp.at(product.now()))
    assert product.store.users.get(user.id).totp_pending is not None


def test_a_role_that_has_to_have_a_second_factor_cannot_turn_it_off(product: App) -> None:
    dashboard = product.settings.dashboard.model_copy(update={"second_factor_for": (Role.LAWYER,)})
    product = replace(product, settings=product.settings.model_copy(update={"dashboard": dashboard}))
    lawyer = add_user(product.store, role=Role.LAWYER)
    assert is_second_factor_missing(product, lawyer)
    assert not is_second_factor_missing(product, add_user(product.store, "陆"))
    with pytest.raises(BadInput, match="role"):
        turn_off_second_factor(acting_as(product, lawyer), SEAL, PASSWORD, "")


def test_a_session_lasts_while_it_is_used_and_no_longer_than_its_length(product: App) -> None:
    clock, lengths = TurnedClock(), SessionLengths(timedelta(hours=4), timedelta(hours=12))
    product = replace(product, now=clock)
    user = add_user(product.store)
    secret = sign_user_in(acting_as(product, user), HERE, lengths)
    for _ in range(3):
        clock.turn(hours=3, minutes=59)
        assert find_session_user(product, secret, lengths) is not None
    clock.turn(minutes=3)
    assert find_session_user(product, secret, lengths) is None
    assert find_session_user(product, "guess", lengths) is None
    other = sign_user_in(acting_as(product, user), HERE, lengths)
    clock.turn(hours=4)
    assert find_session_user(product, other, lengths) is None


def test_who_signs_out_is_out_and_nobody_else_is(product: App) -> None:
    user, lengths = add_user(product.store), session_lengths(DashboardSettings())
    acting = acting_as(product, user)
    one, other = (sign_user_in(acting, HERE, lengths) for _ in range(2))
    assert {session.agent for session in product.store.sessions.of(user.id)} == {"a browser"}
    sign_user_out(acting, one, HERE)
    assert find_session_user(product, one, lengths) is None
    assert find_session_user(product, other, lengths) is not None
    assert [action for _, action, _, _ in log(product)] == ["session.begin", "session.begin", "session.end"]
