"""Who is signed in: the cookie holds the secret of a session in the store; another, by which the browser is known."""

import secrets
from hashlib import sha256
from typing import Final

from flask import Flask, Response, after_this_request, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface
from flask_login import LoginManager, UserMixin, current_user, login_user
from itsdangerous import BadData, URLSafeTimedSerializer

from dashboard.frame.context import services
from dashboard.frame.cookie_names import cookie_name
from services.people import sessions, sign_in
from services.people.sessions import Browser, Lengths
from store.records import User

_KEY: Final = "WENHEN_SESSION_LENGTHS"
_KNOWN: Final = "wenhen-known"  # cookie of a browser that somebody was signed in with
_KNOWN_FOR: Final = 180 * 24 * 3600  # seconds


class SignedIn(UserMixin):
    """A user with the session that is spoken through; Flask-Login keeps its secret in the cookie."""

    def __init__(self, user: User, secret: str) -> None:
        self.user, self.secret = user, secret

    def get_id(self) -> str:
        return self.secret


class _Cookies(SecureCookieSessionInterface):
    digest_method = staticmethod(sha256)

    def get_cookie_name(self, app: Flask) -> str:
        return cookie_name(super().get_cookie_name(app))

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
    product = services().product
    secret = sign_in.begin(sign_in.as_user(product, user), browser(), _lengths())
    session.clear()
    login_user(SignedIn(user, secret))
    _know(user)


def end() -> None:
    """Sign out, here and in the store."""
    if current_user.is_authenticated:
        sign_in.end(sign_in.as_user(services().product, current_user.user), current_user.secret, browser())
    session.clear()
    g.pop("_login_user", None)


def signed_in() -> User | None:
    """The user behind the present request's cookie."""
    return current_user.user if current_user.is_authenticated else None


def present() -> str | None:
    """The id of the session that is spoken through."""
    return sessions.id_of(current_user.secret) if current_user.is_authenticated else None


def browser() -> Browser:
    """Where the present request comes from."""
    return Browser(request.remote_addr or "", request.user_agent.string, *_known())


def _know(user: User) -> None:
    """Have the browser prove from now on that this user was signed in with it: guesses of strangers, which slow
    strangers down, do not hold it up.
    """
    value = _signed().dumps([user.id, secrets.token_hex(8)])

    def remember(response: Response) -> Response:
        response.set_cookie(
            cookie_name(_KNOWN),
            value,
            max_age=_KNOWN_FOR,
            samesite="Strict",
            httponly=True,
            secure=request.is_secure,
        )
        return response

    after_this_request(remember)


def _known() -> tuple[str, str] | tuple[()]:
    """Whose browser it is, and its id, as the cookie proves; nothing without one that we signed."""
    try:
        user_id, id = _signed().loads(request.cookies.get(cookie_name(_KNOWN), ""), max_age=_KNOWN_FOR)
    except (BadData, ValueError, TypeError):
        return ()
    return user_id, id


def _signed() -> URLSafeTimedSerializer:
    key = current_app.secret_key
    assert key  # create_app asks for one
    return URLSafeTimedSerializer(key, salt="known browser", signer_kwargs={"digest_method": sha256})


def _load(secret: str) -> SignedIn | None:
    user = sessions.user_of(services().product, secret, _lengths())
    return None if user is None else SignedIn(user, secret)


def _lengths() -> Lengths:
    lengths: Lengths = current_app.config[_KEY]
    return lengths
