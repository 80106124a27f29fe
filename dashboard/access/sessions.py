"""Who is signed in: a secret in the cookie, and beside it in the store a session that ends."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from flask import Flask, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface
from flask_login import LoginManager, UserMixin, current_user, login_user

from dashboard.frame.context import services
from store.errors import NotFound
from store.records import Session, User

_AGENT_LENGTH: Final = 200
_SEEN_EVERY: Final = timedelta(minutes=1)  # a request within it writes nothing
_KEY: Final = "WENHEN_SESSION_LENGTHS"


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long a session lasts."""

    idle: timedelta = timedelta(hours=4)  # without a request
    whole: timedelta = timedelta(hours=12)  # from sign-in to its end, whatever happens


class SignedIn(UserMixin):
    """A user with the session that is spoken through; Flask-Login keeps its secret in the cookie."""

    def __init__(self, user: User, secret: str) -> None:
        self.user, self.secret = user, secret

    def get_id(self) -> str:
        return self.secret


class _Cookies(SecureCookieSessionInterface):
    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002  Flask's signature
        """Over HTTPS the cookie never goes anywhere else; at loopback there is no HTTPS."""
        return request.is_secure


def install(app: Flask, lengths: Lengths) -> None:
    """Let Flask-Login find the session behind the cookie."""
    app.config[_KEY] = lengths
    app.session_interface = _Cookies()
    manager = LoginManager(app)
    manager.session_protection = None  # a session ends in the store, not because an address changed
    manager.user_loader(_load)


def begin(user: User) -> None:
    """Sign in, with a cookie that holds nothing from before."""
    now, secret = services().clock(), secrets.token_urlsafe(32)
    lengths: Lengths = current_app.config[_KEY]
    services().store.sessions.add(
        Session(
            id=_digest(secret),
            user_id=user.id,
            begun_at=now,
            seen_at=now,
            ends_at=now + lengths.whole,
            address=request.remote_addr or "",
            agent=request.user_agent.string[:_AGENT_LENGTH],
        )
    )
    session.clear()
    login_user(SignedIn(user, secret))


def end() -> None:
    """Sign out, here and in the store."""
    if current_user.is_authenticated:
        services().store.sessions.end(_digest(current_user.secret))
    session.clear()
    g.pop("_login_user", None)


def signed_in() -> User | None:
    """The user behind the present request's cookie."""
    return current_user.user if current_user.is_authenticated else None


def present() -> str | None:
    """The id of the session that is spoken through."""
    return _digest(current_user.secret) if current_user.is_authenticated else None


def _load(secret: str) -> SignedIn | None:
    store, now = services().store, services().clock()
    lengths: Lengths = current_app.config[_KEY]
    found = store.sessions.get(_digest(secret))
    if found is None or now >= found.ends_at or now >= found.seen_at + lengths.idle:
        return None
    try:
        user = store.users.get(found.user_id)
    except NotFound:
        return None
    if user.disabled_at is not None:
        return None
    if now - found.seen_at >= _SEEN_EVERY:
        store.sessions.seen(found.id, now)
    return SignedIn(user, secret)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
