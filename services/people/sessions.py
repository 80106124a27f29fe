"""Sessions: the browsers that people are signed in with, each known by a secret that its cookie holds."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from services.context import Product
from store.errors import NotFound
from store.records import Session, User

_AGENT_LENGTH: Final = 200
_SEEN_EVERY: Final = timedelta(minutes=1)  # a request within it writes nothing


@dataclass(frozen=True, slots=True)
class Lengths:
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


def begin(product: Product, user: User, browser: Browser, lengths: Lengths) -> str:
    """A session of the user; its secret, which is nowhere kept."""
    now, secret = product.now(), secrets.token_urlsafe(32)
    product.store.sessions.add(
        Session(
            id=id_of(secret),
            user_id=user.id,
            begun_at=now,
            seen_at=now,
            ends_at=now + lengths.whole,
            address=browser.address,
            agent=browser.agent[:_AGENT_LENGTH],
        )
    )
    return secret


def user_of(product: Product, secret: str, lengths: Lengths) -> User | None:
    """The user of the session behind the secret; None for one that is over, or whose user is out."""
    store, now = product.store, product.now()
    found = store.sessions.get(id_of(secret))
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
    return user


def id_of(secret: str) -> str:
    """What the store knows the session by."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
