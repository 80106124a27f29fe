"""What a site needs to know of us before it answers: its session, and the way to it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """One cookie (RFC 6265) of a session that somebody began in a browser of his own."""

    name: str
    value: str  # in the store sealed (`services.sealed_secrets`)
    domain: str  # with a leading dot also for all hosts below it
    path: str = "/"
    secure: bool = False  # sent over https only
    expires: datetime | None = None  # None: as long as the session is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How one site is reached. Kept apart from the site, for it holds secrets: nothing prints it whole."""

    id: str  # the site's
    cookies: tuple[Cookie, ...] = ()  # as the site has set them last
    # http://user:password@host:port, in the store with the password sealed; without any, those of the settings
    proxies: tuple[str, ...] = ()
    updated_at: datetime | None = None
