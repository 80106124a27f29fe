"""Make and check the secrets of browser sessions and of API tokens."""

import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from wenhen.accounts.model import Session, Token, User
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.rights import RIGHTS, Right
from wenhen.product.context import Product
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

# Sessions: the browsers that people are signed in with, each known by a secret that its cookie holds.


_MAX_AGENT_CHARACTERS: Final = 200
_SEEN_INTERVAL: Final = timedelta(minutes=1)  # a request within it writes nothing


@dataclass(frozen=True, slots=True)
class SessionLengths:
    """How long a session lasts."""

    idle: timedelta = timedelta(hours=4)  # without a request
    whole: timedelta = timedelta(hours=12)  # from sign-in to its end, whatever happens


@dataclass(frozen=True, slots=True)
class Browser:
    """Where somebody signs in from."""

    address: str
    agent: str = ""
    user_id: str | None = None  # who was signed in with it before, as its cookie proves
    device_id: str = ""  # by which it is known then

    def known_to(self, user_id: str) -> bool:
        """Whether this user was signed in with it before."""
        return self.user_id == user_id


def begin_session(product: Product, user: User, browser: Browser, lengths: SessionLengths) -> str:
    """A session of the user; its secret, which is nowhere kept."""
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
    """The user of the session behind the secret; None for one that is over, or whose user is out."""
    store, now = product.store, product.now()
    found = store.sessions.get(hash_session_secret(secret))
    if found is None or now >= found.ends_at or now >= found.seen_at + lengths.idle:
        return None
    try:
        user = store.users.get(found.user_id)
    except NotFound:
        return None
    if user.disabled_at is not None:
        return None
    if now - found.seen_at >= _SEEN_INTERVAL:
        store.sessions.seen(found.id, now)
    return user


def hash_session_secret(secret: str) -> str:
    """What the store knows the session by."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


# Tokens: what a program carries to act for somebody, with no more rights than that person has.


MAX_TOKEN_NAME_CHARACTERS: Final = 80
MAX_TOKEN_DAYS: Final = 3650  # days
_TOKEN_FORM: Final = re.compile(r"wenhen_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_USED_INTERVAL: Final = timedelta(minutes=1)


@audited("token.make")
def make_api_token(
    acting: Acting, user: User, name: str, scopes: Collection[Right], days: int | None
) -> ChangeResult[tuple[Token, str]]:
    """A new token for a user, oneself or with the right `users` anybody; and its text, which is nowhere kept.

    One that is made through a token lives no longer than that one, and dies with it. BadInput for a name, a time or
    scopes that it cannot have: those that both the user and who acts have, no others. Conflict: the token that makes it
    was revoked meanwhile.
    """
    acting.require(Right.ACCOUNT if user.id == acting.user_id else Right.USERS)
    name = " ".join(name.split())
    if not name or len(name) > MAX_TOKEN_NAME_CHARACTERS or not name.isprintable():
        raise BadInput("tokens.name")
    if not scopes or not set(scopes) <= RIGHTS[user.role] & acting.rights:
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
    if parent and acting.product.store.tokens.get(parent.id).revoked_at:  # it would have missed the new one
        acting.product.store.tokens.revoke(token.id, now)
        raise Conflict("tokens.parent_revoked")
    line = AuditLine(_token_subject(token), new=f"{name}: {' '.join(token.scopes)}")
    return change_result((token, f"wenhen_{token.id}_{secret}"), line)


@audited("token.revoke")
def revoke_api_token(acting: Acting, id: str) -> ChangeResult[Token]:
    """Take a token out of use: one's own, or with the right `users` anybody's. NotFound."""
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
    """The token, its user and what it may do; None for one that is unknown, revoked or over, or whose user is out."""
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
        store.tokens.used(token.id, now)
    return token, user, RIGHTS[user.role] & {Right(scope) for scope in token.scopes if scope in set(Right)}


def is_token_valid(token: Token, now: datetime) -> bool:
    """Whether it is neither revoked nor over."""
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def _acting_token(acting: Acting) -> Token | None:
    """The token through which somebody acts."""
    return acting.product.store.tokens.get(acting.token.id) if acting.token else None


def _token_expiry(asked: datetime | None, parent: Token | None) -> datetime | None:
    """The earlier of what was asked for and the end of the token that makes it; None is never."""
    ends = [end for end in (asked, parent.expires_at if parent else None) if end is not None]
    return min(ends, default=None)


def _token_subject(token: Token) -> str:
    return f"token:{token.id} user:{token.user_id}"


def _hash_token_secret(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
