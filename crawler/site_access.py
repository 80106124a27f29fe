"""Describe how a site is reached: session cookies, proxies and request headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from wenhen.kit.errors import BadInput
from wenhen.kit.web import MASK

if TYPE_CHECKING:
    from http.cookiejar import Cookie as JarCookie

# Access to a site: the session, and the route to it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie (RFC 6265) of a session that a person began in a browser."""

    name: str
    value: str  # sealed in the store (`wenhen.kit.sealed_secrets`)
    domain: str  # a leading dot includes all hosts below it
    path: str = "/"
    secure: bool = False  # sent over https only
    expires: datetime | None = None  # None: at the end of the session


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The access to one site. It holds secrets, so it is stored apart from the site, and nothing prints it whole."""

    id: str  # the site's
    cookies: tuple[Cookie, ...] = ()  # the latest that the site set
    # http://user:password@host:port, with the password sealed in the store. Without any, those of the settings are
    # used.
    proxies: tuple[str, ...] = ()
    updated_at: datetime | None = None


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
    """The access to a site, with proxies without their passwords."""

    cookies: tuple[ShownCookie, ...]
    proxies: tuple[str, ...]
    updated_at: datetime | None


def mask_access(access: Access) -> ShownAccess:
    """Return the part of the access that its editors may see."""
    cookies = (
        ShownCookie(cooky.name, cooky.domain, cooky.path, cooky.secure, cooky.expires) for cooky in access.cookies
    )
    return ShownAccess(tuple(cookies), tuple(map(mask_url_password, access.proxies)), access.updated_at)


def mask_url_password(url: str) -> str:
    """Return the address of a proxy or server with its password masked.

    >>> mask_url_password("redis://user:secret@host:6379/0")
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


COOKIE_FILE_COMMENT = re.compile(r"\s*#(?!HttpOnly_)|\s*\$")
COOKIE_FILE_MAGIC = "# Netscape HTTP Cookie File\n"
LATEST_EXPIRY = 253402300799  # 9999-12-31: some extensions write "never" as a later time


def parse_cookies(text: str, host: str) -> tuple[Cookie, ...]:
    """Parse the cookies of a Netscape cookies.txt, or of a Cookie header ("a=1; b=2") for the host.

    Raise `BadInput` for anything else.
    """
    if "\t" not in text:
        return _parse_cookie_header(text.strip().removeprefix("Cookie:"), host)
    if any(
        line.strip() and not COOKIE_FILE_COMMENT.match(line) and line.count("\t") != 6 for line in text.splitlines()
    ):
        raise BadInput("access.not_seven_fields")
    import tempfile
    from http.cookiejar import LoadError, MozillaCookieJar

    jar = MozillaCookieJar()
    with tempfile.TemporaryDirectory() as folder:  # the library only reads files
        path = Path(folder, "cookies.txt")
        path.write_text(text if text.startswith("#") else COOKIE_FILE_MAGIC + text, encoding="utf-8")
        try:
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
        except (LoadError, OSError, ValueError):
            # The library's error repeats the line, and with it the secret value.
            raise BadInput("access.unreadable_cookies") from None
    cookies = tuple(map(cookie_from_jar, jar))
    if not cookies:
        raise BadInput("access.empty_cookies")
    return cookies


def cookie_from_jar(cookie: "JarCookie") -> Cookie:
    """Convert a cookie of the standard library."""
    return Cookie(
        name=cookie.name,
        value=cookie.value or "",
        domain=cookie.domain,
        path=cookie.path,
        secure=cookie.secure,
        expires=datetime.fromtimestamp(min(cookie.expires, LATEST_EXPIRY), UTC) if cookie.expires else None,
    )


def _parse_cookie_header(text: str, host: str) -> tuple[Cookie, ...]:
    pairs = [pair.strip().partition("=") for pair in text.split(";") if pair.strip()]
    if not pairs or any(not sign or not name.strip() for name, sign, _ in pairs) or "\n" in text:
        raise BadInput("access.no_cookies")
    return tuple(Cookie(name=name.strip(), value=value.strip(), domain=host) for name, _, value in pairs)


# Sets of request headers that go together. All of them name the crawler, and none pretends to be a person's browser.
#
# A few sites answer only to browser-like headers, or serve editions by visitor. A site chooses one profile, and every
# request to it uses that.


ACCEPT_HTML = "text/html,application/xhtml+xml,*/*;q=0.5"
ACCEPT_AS_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
LANGUAGES_SIMPLIFIED = "zh-CN,zh;q=0.9,zh-TW;q=0.8,en;q=0.3"
LANGUAGES_TRADITIONAL = "zh-TW,zh-HK;q=0.9,zh;q=0.8,zh-CN;q=0.7,en;q=0.3"


@dataclass(frozen=True, slots=True)
class HeaderProfile:
    """A set of request headers. `agent` has {name} in place of the crawler's name and contact."""

    agent: str
    headers: Mapping[str, str]

    def user_agent(self, name: str) -> str:
        """Return the User-Agent header."""
        return self.agent.format(name=name)


HEADER_PROFILES = {
    "default": HeaderProfile("{name}", {"Accept": ACCEPT_HTML, "Accept-Language": LANGUAGES_SIMPLIFIED}),
    # The edition in traditional characters, if a site chooses by language.
    "traditional": HeaderProfile("{name}", {"Accept": ACCEPT_HTML, "Accept-Language": LANGUAGES_TRADITIONAL}),
    # Search engines have always named themselves in the form "Mozilla/5.0 (compatible; …)".
    "compatible": HeaderProfile(
        "Mozilla/5.0 (compatible; {name})",
        {"Accept": ACCEPT_AS_BROWSER, "Accept-Language": LANGUAGES_SIMPLIFIED, "Upgrade-Insecure-Requests": "1"},
    ),
    # The mobile edition. The crawler names itself in the form that search engines use.
    "mobile": HeaderProfile(
        "Mozilla/5.0 (Linux; Android 10; Mobile) (compatible; {name})",
        {"Accept": ACCEPT_AS_BROWSER, "Accept-Language": LANGUAGES_SIMPLIFIED, "Upgrade-Insecure-Requests": "1"},
    ),
}


def find_header_profile(name: str) -> HeaderProfile:
    """Return the profile of this name. Raise BadInput, which names the choices, for an unknown one."""
    if name not in HEADER_PROFILES:
        raise BadInput("sites.no_profile", given=name, choices=", ".join(HEADER_PROFILES))
    return HEADER_PROFILES[name]
