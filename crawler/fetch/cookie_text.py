"""The cookies of a session that somebody began in a browser, as people bring them along."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import BadInput
from store.records import Cookie

if TYPE_CHECKING:  # it takes long to import, and only bringing a session needs it
    from http.cookiejar import Cookie as JarCookie

COMMENT = re.compile(r"\s*#(?!HttpOnly_)|\s*\$")
MAGIC = "# Netscape HTTP Cookie File\n"
LATEST = 253402300799  # 9999-12-31: some extensions write "never" as a time beyond every calendar


def read_cookies(text: str, host: str) -> tuple[Cookie, ...]:
    """Cookies of a Netscape cookies.txt, or of a Cookie header ("a=1; b=2"), which are then the host's.

    Raises `BadInput` for what is neither.
    """
    if "\t" not in text:
        return _of_header(text.strip().removeprefix("Cookie:"), host)
    if any(line.strip() and not COMMENT.match(line) and line.count("\t") != 6 for line in text.splitlines()):
        raise BadInput("access.not_seven_fields")
    import tempfile
    from http.cookiejar import LoadError, MozillaCookieJar

    jar = MozillaCookieJar()
    with tempfile.TemporaryDirectory() as folder:  # the library reads files alone
        path = Path(folder, "cookies.txt")
        path.write_text(text if text.startswith("#") else MAGIC + text, encoding="utf-8")
        try:
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
        except (LoadError, OSError, ValueError):
            # The library repeats the line, and with it the value.
            raise BadInput("access.unreadable_cookies") from None
    cookies = tuple(map(of_jar, jar))
    if not cookies:
        raise BadInput("access.empty_cookies")
    return cookies


def of_jar(cookie: "JarCookie") -> Cookie:
    """A cookie of the standard library's as we keep it."""
    return Cookie(
        name=cookie.name,
        value=cookie.value or "",
        domain=cookie.domain,
        path=cookie.path,
        secure=cookie.secure,
        expires=datetime.fromtimestamp(min(cookie.expires, LATEST), UTC) if cookie.expires else None,
    )


def _of_header(text: str, host: str) -> tuple[Cookie, ...]:
    pairs = [pair.strip().partition("=") for pair in text.split(";") if pair.strip()]
    if not pairs or any(not sign or not name.strip() for name, sign, _ in pairs) or "\n" in text:
        raise BadInput("access.no_cookies")
    return tuple(Cookie(name=name.strip(), value=value.strip(), domain=host) for name, _, value in pairs)
