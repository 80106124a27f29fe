"""What can be set of a site, as people write it: in a command, a form or a line of CSV."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from crawler.crawl.hosts import ascii_host
from crawler.crawl.job import fits
from crawler.fetch.header_profiles import header_profile
from services.crawls.due import checked_cron
from services.crawls.quiet_hours import window_of
from store.errors import BadInput
from store.records import Layout
from store.rules.masking import masked

Read = Callable[[str], object]
YES, NO = frozenset(("1", "yes", "true", "on", "是")), frozenset(("", "0", "no", "false", "off", "否"))
HOURS, PAGES, DEPTH, SECONDS, REQUESTS = (0.1, 8_760.0), (1, 1_000_000), (0, 50), (0.0, 3_600.0), (1, 64)
LONGEST = 200  # characters of a name
LONGEST_NOTES = 5000


def host_of_start(url: str) -> str:
    """The host of a start address. Raises `BadInput`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url} is not an address that can be crawled: it starts with http:// or https://")
    if parts.username is not None:
        raise BadInput(f"{masked(url)} is not an address that can be crawled: leave out the name and the password")
    return ascii_host(parts.hostname)


def read(written: Mapping[str, str]) -> dict[str, Any]:
    """The fields of `Site` that are written, by the names of `SETTINGS`; what is empty is as if it had never been set.

    Lists are parted by spaces or lines. Raises `BadInput` that names the setting.
    """
    values: dict[str, Any] = {}
    for name, text in written.items():
        if name not in SETTINGS:
            raise BadInput(f"{name} is no setting of a site; there are {', '.join(SETTINGS)}")
        field, reader = SETTINGS[name]
        try:
            values[field] = reader(text.strip())
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
    return values


def _starts(text: str) -> tuple[str, ...]:
    urls = tuple(dict.fromkeys(text.split()))
    if not urls:
        raise BadInput("a site needs an address to start from")
    for url in urls:
        host_of_start(url)
    return urls


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))


def _hosts(text: str) -> tuple[str, ...]:
    for host in text.split():
        if any(sign in host for sign in "/:@"):
            raise BadInput(f"{host} is no host name: leave out http:// and what follows the name")
    return tuple(dict.fromkeys(map(ascii_host, text.split())))


def _mirrors(text: str) -> tuple[str, ...]:
    for host in text.split():
        if "*" in host:
            raise BadInput(f"{host} is no name of one host")
    return _hosts(text)


def _headers(text: str) -> str:
    header_profile(text or "default")
    return text or "default"


def _patterns(text: str) -> tuple[str, ...]:
    for pattern in text.split():
        fits(pattern, "")
    return _words(text)


def _layout(text: str) -> Layout:
    try:
        return Layout(text or Layout.NEWS)
    except ValueError:
        raise BadInput(f"{text} is none of {', '.join(Layout)}") from None


def _text(longest: int) -> Callable[[str], str]:
    def cut(text: str) -> str:
        if len(text) > longest:
            raise BadInput(f"longer than {longest} characters")
        return text

    return cut


def _optional(read: Read) -> Read:
    return lambda text: read(text) if text else None


def _quiet(text: str) -> str:
    begin, end = window_of(text)
    return f"{begin:%H:%M}-{end:%H:%M}"


def _truth(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise BadInput(f"{text} is neither yes nor no")
    return text.lower() in YES


def _number(kind: type[int] | type[float], bounds: tuple[float, float]) -> Read:
    def number(text: str) -> float:
        try:
            given = kind(text)
        except ValueError:
            raise BadInput(f"{text!r} is no {'whole number' if kind is int else 'number'}") from None
        if not bounds[0] <= given <= bounds[1]:
            raise BadInput(f"{text} is not from {bounds[0]:g} to {bounds[1]:g}")
        return given

    return number


# By the name that people write: the field of the record, and how it is read.
SETTINGS: Mapping[str, tuple[str, Read]] = {
    "urls": ("start_urls", _starts),
    "name": ("name", _text(LONGEST)),
    "hosts": ("hosts", _hosts),
    "layout": ("layout", _layout),
    "kind": ("kind", _optional(_text(LONGEST))),
    "every": ("interval_hours", _number(float, HOURS)),
    "cron": ("cron", _optional(checked_cron)),
    "quiet": ("quiet", _optional(_quiet)),
    "include": ("include", _patterns),
    "exclude": ("exclude", _patterns),
    "max_pages": ("max_pages", _number(int, PAGES)),
    "max_depth": ("max_depth", _number(int, DEPTH)),
    "delay": ("delay", _optional(_number(float, SECONDS))),
    "concurrency": ("concurrency", _optional(_number(int, REQUESTS))),
    "render": ("render", _truth),
    "headers": ("header_profile", _headers),
    "mirrors": ("mirrors", _mirrors),
    "internal": ("internal", _truth),
    "tags": ("tags", _words),
    "notes": ("notes", _text(LONGEST_NOTES)),
    "paused": ("paused", _truth),
}
