"""Create and check the secrets of browser sessions and of API tokens."""

import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from wenhen.accounts.model import Session, Token, User
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.rights import Right
from wenhen.settings.dashboard_and_sign_in import DashboardSettings

# Sessions: signed-in browsers, identified by a secret in a cookie.


_MAX_AGENT_CHARACTERS: Final = 200
_SEEN_INTERVAL: Final = timedelta(minutes=1)  # requests within it update nothing


@dataclass(frozen=True, slots=True)
class SessionLengths:
    """Maximum durations of a session."""

    idle: timedelta  # without a request
    whole: timedelta  # from sign-in to its end


def session_lengths(settings: DashboardSettings) -> SessionLengths:
    """Return the durations of the settings."""
    return SessionLengths(timedelta(minutes=settings.idle_minutes), timedelta(hours=settings.session_hours))


@dataclass(frozen=True, slots=True)
class Browser:
    """The browser that signs in."""

    address: str
    agent: str = ""
    user_id: str | None = None  # user that was signed in before, proven by a cookie
    device_id: str = ""  # id of a known browser

    def known_to(self, user_id: str) -> bool:
        """Return whether this user was signed in with the browser before."""
        return self.user_id == user_id


def begin_session(product: Product, user: User, browser: Browser, lengths: SessionLengths) -> str:
    """Create a session of the user and return its secret, which is not stored."""
    now, secret = product.now(), secrets.token_urlsafe(32)
    product.store.sessions.add(
        Session(
            id=hash_session_secret(secret),
            user_id=user.id,
            begun_at=now,
            seen_at=now,
            ends_at=now + lengths.whole,
            address=browser.address,
            agent=browser.agent[:_MAX_AGENT_CHARACTERS],
        )
    )
    return secret


def find_session_user(product: Product, secret: str, lengths: SessionLengths) -> User | None:
    """Return the user of the session, or None if the session has ended or the user is disabled or deleted."""
    store, now = product.store, product.now()
    session = store.sessions.get(hash_session_secret(secret))
    if session is None or now >= session.ends_at or now >= session.seen_at + lengths.idle:
        return None
    try:
        user = store.users.get(session.user_id)
    except NotFound:
        return None
    if user.disabled_at is not None:
        return None
    if now - session.seen_at >= _SEEN_INTERVAL:
        store.sessions.mark_seen(session.id, now)
    return user


def hash_session_secret(secret: str) -> str:
    """Return the session id for a secret."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


# Tokens: programs act for a user, with at most the rights of the user.


MAX_TOKEN_NAME_CHARACTERS: Final = 80
MAX_TOKEN_DAYS: Final = 3650  # maximum lifetime
_TOKEN_FORM: Final = re.compile(r"wenhen_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_USED_INTERVAL: Final = timedelta(minutes=1)


@audited("token.make")
def make_api_token(
    acting: Acting, user: User, name: str, scopes: Collection[Right], days: int | None
) -> ChangeResult[tuple[Token, str]]:
    """Create a token for oneself, or with the right `USERS` for any user. Returns the token and its text, not stored.

    A token created through another token expires and is revoked with that one.

    Raises `BadInput` for an invalid name or lifetime, and for scopes that user or actor lack. Raises `Conflict` if the
    creating token was revoked meanwhile.
    """
    acting.require(Right.ACCOUNT if user.id == acting.user_id else Right.USERS)
    name = " ".join(name.split())
    if not name or len(name) > MAX_TOKEN_NAME_CHARACTERS or not name.isprintable():
        raise BadInput("tokens.name")
    if not scopes or not set(scopes) <= user.rights & acting.rights:
        raise BadInput("tokens.scopes")
    if days is not None and not 1 <= days <= MAX_TOKEN_DAYS:
        raise BadInput("tokens.days", most=MAX_TOKEN_DAYS)
    secret, now, parent = secrets.token_urlsafe(32), acting.product.now(), _acting_token(acting)
    token = Token(
        id=secrets.token_hex(6),
        name=name,
        user_id=user.id,
        digest=_hash_token_secret(secret),
        scopes=tuple(sorted(scopes)),
        created_at=now,
        expires_at=_token_expiry(None if days is None else now + timedelta(days=days), parent),
        parents=(parent.id, *parent.parents) if parent else (),
    )
    acting.product.store.tokens.add(token)
    if parent and acting.product.store.tokens.get(parent.id).revoked_at:  # its revocation did not include the new token
        acting.product.store.tokens.revoke(token.id, now)
        raise Conflict("tokens.parent_revoked")
    line = AuditLine(_token_subject(token), new=f"{name}: {' '.join(token.scopes)}")
    return change_result((token, f"wenhen_{token.id}_{secret}"), line)


@audited("token.revoke")
def revoke_api_token(acting: Acting, id: str) -> ChangeResult[Token]:
    """Revoke one's own token, or with the right `USERS` any token. Raises `NotFound`."""
    tokens = acting.product.store.tokens
    token = tokens.get(id)
    if token.user_id == acting.user_id:
        acting.require(Right.ACCOUNT)
    elif not acting.may(Right.USERS):
        raise NotFound("store.no_token", id=id)
    if token.revoked_at is not None:
        return change_result(token)
    return change_result(tokens.revoke(id, acting.product.now()), AuditLine(_token_subject(token), old=token.name))


def find_bearer(product: Product, text: str) -> tuple[Token, User, frozenset[Right]] | None:
    """Return the token, its user and its rights.

    Returns None if the token is unknown, revoked or expired, or its user is disabled.
    """
    form = _TOKEN_FORM.fullmatch(text)
    if form is None:
        return None
    store, now = product.store, product.now()
    try:
        token = store.tokens.get(form[1])
        user = store.users.get(token.user_id)
    except NotFound:
        return None
    if (
        not hmac.compare_digest(token.digest, _hash_token_secret(form[2]))
        or not is_token_valid(token, now)
        or user.disabled_at
    ):
        return None
    if token.used_at is None or now - token.used_at >= _USED_INTERVAL:
        store.tokens.mark_used(token.id, now)
    return token, user, user.rights & {Right(scope) for scope in token.scopes if scope in set(Right)}


def is_token_valid(token: Token, now: datetime) -> bool:
    """Return whether the token is neither revoked nor expired."""
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def is_feed_token(token: Token) -> bool:
    """Return whether the token reads feeds and does nothing else."""
    return token.scopes == (Right.FEED,)


def _acting_token(acting: Acting) -> Token | None:
    """Return the token through which the user acts, or None."""
    return acting.product.store.tokens.get(acting.token.id) if acting.token else None


def _token_expiry(asked: datetime | None, parent: Token | None) -> datetime | None:
    """Return the earlier of the requested expiry and that of the parent token. None means never."""
    ends = [end for end in (asked, parent.expires_at if parent else None) if end is not None]
    return min(ends, default=None)


def _token_subject(token: Token) -> str:
    return f"token:{token.id} user:{token.user_id}"


def _hash_token_secret(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
