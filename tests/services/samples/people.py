"""Users, one's own account, sign-in and tokens."""

from dataclasses import replace
from typing import Final

import pyotp

from services import resealed_secrets
from services.acting import Acting
from services.people import account, guess_limits, second_factor, sign_in, tokens, users
from services.people.sessions import Browser, Lengths, id_of
from services.sealed_secrets import Seal
from store.records import Role, Token, User
from store.rules.role_rights import Right
from tests.support.people import PASSWORD, add_user
from tests.support.use_cases import Samples

BROWSER: Final = Browser("198.51.100.7", "a browser")
SEAL: Final = Seal(lambda: ["only for tests"])
OTHER: Final = "another long password"


def user(acting: Acting, **values: object) -> User:
    return add_user(acting.product.store, **values)  # type: ignore[arg-type]  # names fields


def own(acting: Acting) -> Acting:
    """The same as a user, who is signed in."""
    return replace(acting, user_id=user(acting).id)


def confirm(acting: Acting) -> None:
    acting = own(acting)
    totp = pyotp.TOTP(second_factor.begin(acting, SEAL, PASSWORD))
    second_factor.confirm(acting, SEAL, totp.at(acting.product.now()))


def revoke(acting: Acting) -> None:
    tokens.revoke(acting, make(acting).id)


def make(acting: Acting) -> Token:
    """A token, through the one that is acted with."""
    one, given = user(acting), acting.token
    if given:
        now = acting.product.now()
        parent = Token(id=given.id, name=given.name, user_id=one.id, digest="", scopes=(), created_at=now)
        acting.product.store.tokens.add(parent)
    return tokens.make(acting, one, "ci", {Right.READ}, None)[0]


def end_one(acting: Acting) -> None:
    acting = own(acting)
    secret = sign_in.begin(acting, BROWSER, Lengths())
    account.end_session(acting, id_of(secret))


def end(acting: Acting) -> None:
    acting = own(acting)
    sign_in.end(acting, sign_in.begin(acting, BROWSER, Lengths()), BROWSER)


SAMPLES: Samples = {
    users.add: lambda acting: users.add(acting, "陆", Role.LAWYER),
    users.set_role: lambda acting: users.set_role(acting, user(acting).id, Role.LAWYER),
    users.disable: lambda acting: users.disable(acting, user(acting).id),
    users.enable: lambda acting: users.enable(acting, user(acting).id),
    users.reset_password: lambda acting: users.reset_password(acting, user(acting).id),
    users.drop_second_factor: lambda acting: users.drop_second_factor(acting, user(acting).id),
    users.remove: lambda acting: users.remove(acting, user(acting).id),
    account.change_password: lambda acting: account.change_password(own(acting), PASSWORD, OTHER),
    account.end_session: end_one,
    account.end_sessions: lambda acting: account.end_sessions(own(acting)),
    second_factor.confirm: confirm,
    second_factor.drop: lambda acting: second_factor.drop(own(acting), SEAL, PASSWORD, ""),
    sign_in.begin: lambda acting: sign_in.begin(own(acting), BROWSER, Lengths()),
    sign_in.end: end,
    guess_limits.refuse: lambda acting: guess_limits.refuse(acting, BROWSER),
    guess_limits.refuse_own: lambda acting: guess_limits.refuse_own(own(acting)),
    resealed_secrets.reseal: lambda acting: (user(acting, totp_secret="not sealed"), resealed_secrets.reseal(acting)),
    tokens.make: make,
    tokens.revoke: revoke,
}
