"""The people who use the dashboard, what they are signed in by, and the tokens that programs carry for them."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """What somebody is there for; what each may do stands in one table."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    LAWYER = "lawyer"
    ADMINISTRATOR = "administrator"


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
    )  # base32, sealed by services.sealed_secrets; None: no second factor
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
