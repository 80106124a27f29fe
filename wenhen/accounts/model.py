"""Define users, sessions, tokens and preferences, and the backoff of failed sign-ins."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from wenhen.kit.rights import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who may sign in."""

    id: str  # the name, folded: 沈 Yan and 沈 yan are one person
    name: str
    role: Role
    password: str = field(repr=False)  # argon2id, in the form that holds its parameters and its salt
    added_at: datetime
    must_change: bool = False  # the password was given by somebody else
    disabled_at: datetime | None = None
    signed_in_at: datetime | None = None
    totp_secret: str | None = field(
        default=None, repr=False
    )  # base32, sealed by wenhen.kit.sealed_secrets; None: no second factor
    totp_pending: str | None = field(default=None, repr=False)  # shown, and not yet proved by a first code
    totp_step: int = 0  # the last time step whose code was taken: no code is taken twice
    recovery: tuple[str, ...] = field(default=(), repr=False)  # SHA-256 of the recovery codes that are left


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One browser that somebody is signed in with."""

    id: str  # SHA-256 of what the cookie carries
    user_id: str
    begun_at: datetime
    seen_at: datetime  # to the minute
    ends_at: datetime  # whatever happens
    address: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What a program carries to act for somebody."""

    id: str  # stands in the token itself, in the clear
    name: str
    user_id: str
    digest: str = field(repr=False)  # SHA-256 of the secret part
    scopes: tuple[str, ...]  # rights; of these it has the ones that its user has
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None  # to the minute
    parents: tuple[str, ...] = ()  # ids of the token through which it was made, and of that one's own; they end it


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What one person chose; nobody else sees it."""

    id: str  # the name that they act under
    columns: tuple[str, ...] | None = None  # of the queue, by name; None: those that everybody begins with
    preview: bool = True  # a case is shown beside the queue
    goes_on: bool = False  # after a decision on a case the next one opens by itself


# How long whoever guesses a password or a code has to wait: longer with each guess, and never for good.
#
# How many are free, and by whom and where they are counted: `wenhen.accounts.passwords`.


GUESSES_FORGOTTEN_AFTER: Final = timedelta(hours=1)  # after the last guess
_MAX_LOGIN_DOUBLINGS: Final = 20  # more would be longer than any pace


@dataclass(frozen=True, slots=True)
class LoginBackoff:
    """How quickly guesses may follow each other.

    >>> [str(LoginBackoff(2, timedelta(seconds=5)).pause(guesses)) for guesses in (1, 2, 3, 4, 5, 99)]
    ['0:00:00', '0:00:01', '0:00:02', '0:00:04', '0:00:05', '0:00:05']
    """

    free: int  # guesses with no wait between them; after the last of them it is a second, doubled with each further one
    longest: timedelta

    def pause(self, guesses: int) -> timedelta:
        """Before the next guess, after so many."""
        if guesses < self.free:
            return timedelta()
        return min(timedelta(seconds=2 ** min(guesses - self.free, _MAX_LOGIN_DOUBLINGS)), self.longest)
