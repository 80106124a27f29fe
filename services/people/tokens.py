"""Tokens: what a program carries to act for somebody, with no more rights than that person has."""

import hmac
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import BadInput, Conflict, NotFound
from store.records import Token, User
from store.rules.role_rights import RIGHTS, Right

NAME_LENGTH: Final = 80
LONGEST: Final = 3650  # days
_FORM: Final = re.compile(r"wenhen_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_USED_EVERY: Final = timedelta(minutes=1)


@audited("token.make")
def make(
    acting: Acting, user: User, name: str, scopes: Collection[Right], days: int | None
) -> Changed[tuple[Token, str]]:
    """A new token for a user, oneself or with the right `users` anybody; and its text, which is nowhere kept.

    One that is made through a token lives no longer than that one, and dies with it. BadInput for a name, a time or
    scopes that it cannot have: those that both the user and who acts have, no others. Conflict: the token that makes it
    was revoked meanwhile.
    """
    acting.require(Right.ACCOUNT if user.id == acting.user_id else Right.USERS)
    name = " ".join(name.split())
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise BadInput("tokens.name")
    if not scopes or not set(scopes) <= RIGHTS[user.role] & acting.rights:
        raise BadInput("tokens.scopes")
    if days is not None and not 1 <= days <= LONGEST:
        raise BadInput("tokens.days", most=LONGEST)
    secret, now, parent = secrets.token_urlsafe(32), acting.product.now(), _parent(acting)
    token = Token(
        id=secrets.token_hex(6),
        name=name,
        user_id=user.id,
        digest=_digest(secret),
        scopes=tuple(sorted(scopes)),
        created_at=now,
        expires_at=_end(None if days is None else now + timedelta(days=days), parent),
        parents=(parent.id, *parent.parents) if parent else (),
    )
    acting.product.store.tokens.add(token)
    if parent and acting.product.store.tokens.get(parent.id).revoked_at:  # it would have missed the new one
        acting.product.store.tokens.revoke(token.id, now)
        raise Conflict("tokens.parent_revoked")
    line = Line(_subject(token), new=f"{name}: {' '.join(token.scopes)}")
    return changed((token, f"wenhen_{token.id}_{secret}"), line)


@audited("token.revoke")
def revoke(acting: Acting, id: str) -> Changed[Token]:
    """Take a token out of use: one's own, or with the right `users` anybody's. NotFound."""
    tokens = acting.product.store.tokens
    token = tokens.get(id)
    if token.user_id == acting.user_id:
        acting.require(Right.ACCOUNT)
    elif not acting.may(Right.USERS):
        raise NotFound("store.no_token", id=id)
    if token.revoked_at is not None:
        return changed(token)
    return changed(tokens.revoke(id, acting.product.now()), Line(_subject(token), old=token.name))


def bearer(product: Product, text: str) -> tuple[Token, User, frozenset[Right]] | None:
    """The token, its user and what it may do; None for one that is unknown, revoked or over, or whose user is out."""
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    store, now = product.store, product.now()
    try:
        token = store.tokens.get(form[1])
        user = store.users.get(token.user_id)
    except NotFound:
        return None
    if not hmac.compare_digest(token.digest, _digest(form[2])) or not is_valid(token, now) or user.disabled_at:
        return None
    if token.used_at is None or now - token.used_at >= _USED_EVERY:
        store.tokens.used(token.id, now)
    return token, user, RIGHTS[user.role] & {Right(scope) for scope in token.scopes if scope in set(Right)}


def is_valid(token: Token, now: datetime) -> bool:
    """Whether it is neither revoked nor over."""
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def _parent(acting: Acting) -> Token | None:
    """The token through which somebody acts."""
    return acting.product.store.tokens.get(acting.token.id) if acting.token else None


def _end(asked: datetime | None, parent: Token | None) -> datetime | None:
    """The earlier of what was asked for and the end of the token that makes it; None is never."""
    ends = [end for end in (asked, parent.expires_at if parent else None) if end is not None]
    return min(ends, default=None)


def _subject(token: Token) -> str:
    return f"token:{token.id} user:{token.user_id}"


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
