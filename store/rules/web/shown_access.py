"""What holds secrets, as it may be shown and written down."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from store.records import Access
from store.records.web.masked_headers import MASK


@dataclass(frozen=True, slots=True)
class ShownCookie:
    """A cookie without its value."""

    name: str
    domain: str
    path: str
    secure: bool
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class ShownAccess:
    """How a site is reached; proxies without their passwords."""

    cookies: tuple[ShownCookie, ...]
    proxies: tuple[str, ...]
    updated_at: datetime | None


def without_secrets(access: Access) -> ShownAccess:
    """What everybody may see of it who may change it."""
    cookies = (ShownCookie(one.name, one.domain, one.path, one.secure, one.expires) for one in access.cookies)
    return ShownAccess(tuple(cookies), tuple(map(masked, access.proxies)), access.updated_at)


def masked(url: str) -> str:
    """The address as it may be shown: of a proxy, of a server.

    >>> masked("redis://user:secret@host:6379/0")
    'redis://user:***@host:6379/0'
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
    except ValueError:
        return MASK
    if parts.password is None:
        return url
    login, _, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{login.partition(':')[0]}:{MASK}@{place}"))
