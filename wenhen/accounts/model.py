"""Define users, sessions, tokens and preferences, and the backoff of failed sign-ins."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from wenhen.kit.rights import RIGHTS, RIGHTS_OF_HELD, Right, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who may sign in."""

    id: str  # normalized name, such as 沈 yan for 沈 Yan
    name: str
    role: Role
    password: str = field(repr=False)  # argon2id hash with parameters and salt
    added_at: datetime
    must_change: bool = False  # another person set the password
    disabled_at: datetime | None = None
    signed_in_at: datetime | None = None
    totp_secret: str | None = field(
        default=None, repr=False
    )  # base32, sealed by wenhen.kit.sealed_secrets; None: no second factor
    totp_pending: str | None = field(default=None, repr=False)  # displayed, but not confirmed by a code yet
    totp_step: int = 0  # time step of the last accepted code, which prevents replay
    recovery: tuple[str, ...] = field(default=(), repr=False)  # SHA-256 of unused recovery codes
    mail: str | None = None  # address that a link for a new password is sent to
    subject: str | None = None  # who signs in by a provider or a proxy: where from, and their id there
    holders: tuple[str, ...] = ()  # rights holders that they are held to, whose records alone they see; empty: all

    @property
    def rights(self) -> frozenset[Right]:
        """Return the rights of the role, of people who are held to rights holders without those of the house."""
        return RIGHTS[self.role] & RIGHTS_OF_HELD if self.holders else RIGHTS[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordLink:
    """A one-time address at which a user chooses a password."""

    id: str = field(repr=False)  # SHA-256 of the secret in the address
    user_id: str
    made_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser session of a user."""

    id: str  # SHA-256 of the secret in the cookie
    user_id: str
    begun_at: datetime
    seen_at: datetime  # precision of a minute
    ends_at: datetime  # absolute end
    address: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token of a program that acts for a user."""

    id: str  # public part of the token
    name: str
    user_id: str
    digest: str = field(repr=False)  # SHA-256 of the secret part
    scopes: tuple[str, ...]  # rights, limited to those of the user
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None  # precision of a minute
    parents: tuple[str, ...] = ()  # ids of the tokens through which it was created; revoking one of them revokes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Private settings of one user."""

    id: str  # name of the user
    columns: tuple[str, ...] | None = None  # columns of the queue by name, None: the default
    preview: bool = True  # show a case beside the queue
    goes_on: bool = False  # open the next case after a decision


# Login backoff: each wrong guess lengthens the wait, but accounts are never locked. `wenhen.accounts.passwords` defines
# what is counted, and the limits.


GUESSES_FORGOTTEN_AFTER: Final = timedelta(hours=1)  # after the last guess
_MAX_LOGIN_DOUBLINGS: Final = 20  # avoids overflow; beyond any limit


@dataclass(frozen=True, slots=True)
class LoginBackoff:
    """Exponential backoff between guesses.

    >>> [str(LoginBackoff(2, timedelta(seconds=5)).pause(guesses)) for guesses in (1, 2, 3, 4, 5, 99)]
    ['0:00:00', '0:00:01', '0:00:02', '0:00:04', '0:00:05', '0:00:05']
    """

    free: int  # guesses before the backoff starts with a second
    longest: timedelta

    def pause(self, guesses: int) -> timedelta:
        """Return the wait before the next guess after `guesses` guesses."""
        if guesses < self.free:
            return timedelta()
        return min(timedelta(seconds=2 ** min(guesses - self.free, _MAX_LOGIN_DOUBLINGS)), self.longest)
