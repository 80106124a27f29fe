"""Tokens: what a program carries to act for somebody, with no more rights than that person has."""

import hmac
import re
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from services.people.rights import RIGHTS, Right
from store.errors import BadInput, NotFound
from store.ports import Store
from store.records import Token, User

NAME_LENGTH: Final = 80
LONGEST: Final = 3650  # days
_FORM: Final = re.compile(r"wenhen_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_USED_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What can be done with tokens; each change is in the audit log."""

    store: Store
    clock: Callable[[], datetime]
    by: str

    def make(
        self, user: User, name: str, scopes: Collection[Right], days: int | None, *, within: Collection[Right]
    ) -> tuple[Token, str]:
        """A new token, and its text, which is nowhere kept. BadInput; scopes are no more than `within`."""
        name = " ".join(name.split())
        if not name or len(name) > NAME_LENGTH or not name.isprintable():
            raise BadInput("token.name")
        if not scopes or not set(scopes) <= set(within):
            raise BadInput("token.scopes")
        if days is not None and not 1 <= days <= LONGEST:
            raise BadInput("token.days")
        secret, now = secrets.token_urlsafe(32), self.clock()
        token = Token(
            id=secrets.token_hex(6),
            name=name,
            user_id=user.id,
            digest=_digest(secret),
            scopes=tuple(sorted(scopes)),
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        self.store.tokens.add(token)
        self._note("token.make", token, new=f"{name}: {' '.join(token.scopes)}")
        return token, f"wenhen_{token.id}_{secret}"

    def revoke(self, id: str, *, of: str | None = None) -> Token:
        """Take a token out of use; with `of` only one of that user. NotFound."""
        token = self.store.tokens.get(id)
        if of is not None and token.user_id != of:
            raise NotFound(f"No token has the id {id}.")
        if token.revoked_at is None:
            token = self.store.tokens.revoke(id, self.clock())
            self._note("token.revoke", token, old=token.name)
        return token

    def _note(self, action: str, token: Token, old: str | None = None, new: str | None = None) -> None:
        self.store.audit.add(self.clock(), self.by, action, f"token:{token.id} user:{token.user_id}", old, new)


def bearer(store: Store, text: str, now: datetime) -> tuple[Token, User, frozenset[Right]] | None:
    """The token, its user and what it may do; None for one that is unknown, revoked or over, or whose user is out."""
    form = _FORM.fullmatch(text)
    if form is None:
        return None
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


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
