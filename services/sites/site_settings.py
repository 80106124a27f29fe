"""What can be set of a site, as people write it: in a command, a form or a line of CSV."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from crawler.crawl.host_names import ascii_host
from crawler.crawl.job import fits
from crawler.extract.markup.css_selectors import is_selector
from crawler.fetch.header_profiles import header_profile
from services.crawls.quiet_hours import window_of
from services.crawls.when_due import checked_cron
from store.errors import BadInput
from store.records import Layout
from store.rules.web.shown_access import masked


class Bounds(NamedTuple):
    """The least and the most that a figure may be."""

    least: float
    most: float


Read = Callable[[str], object]
YES, NO = frozenset(("1", "yes", "true", "on", "是")), frozenset(("", "0", "no", "false", "off", "否"))
DEFAULTS: Final[Mapping[str, str]] = {"every": "24", "max_pages": "1000", "max_depth": "5"}
BOUNDS: Final[Mapping[str, Bounds]] = {
    "every": Bounds(0.1, 8_760),  # hours
    "max_pages": Bounds(1, 1_000_000),
    "max_depth": Bounds(0, 50),
    "delay": Bounds(0, 3_600),  # seconds
    "concurrency": Bounds(1, 64),
}
LONGEST: Final[Mapping[str, int]] = {"name": 200, "kind": 200, "notes": 5_000, "text_at": 300}  # characters


def host_of_start(url: str) -> str:
    """The host of a start address. Raises `BadInput`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput("sites.bad_address", url=url)
    if parts.username is not None:
        raise BadInput("sites.login_in_address", url=masked(url))
    return ascii_host(parts.hostname)


def read(written: Mapping[str, str]) -> dict[str, Any]:
    """The fields of `Site` that are written, by the names of `SETTINGS`; what is empty is as if it had never been set.

    Lists are parted by spaces or lines. Raises `BadInput` that names the setting.
    """
    values: dict[str, Any] = {}
    for name, text in written.items():
        if name not in SETTINGS:
            raise BadInput("sites.no_setting", setting=name, choices=", ".join(SETTINGS))
        field, reader = SETTINGS[name]
        try:
            values[field] = reader(text.strip())
        except BadInput as error:
            raise BadInput("sites.bad_setting", setting=name, reason=error.message) from None
    return values


def _starts(text: str) -> tuple[str, ...]:
    urls = tuple(dict.fromkeys(text.split()))
    if not urls:
        raise BadInput("sites.no_address")
    for url in urls:
        host_of_start(url)
    return urls


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))


def _hosts(text: str) -> tuple[str, ...]:
    for host in text.split():
        if any(sign in host for sign in "/:@"):
            raise BadInput("sites.bad_host", host=host)
    return tuple(dict.fromkeys(map(ascii_host, text.split())))


def _mirrors(text: str) -> tuple[str, ...]:
    for host in text.split():
        if "*" in host:
            raise BadInput("sites.several_hosts", host=host)
    return _hosts(text)


def _headers(text: str) -> str:
    header_profile(text or "default")
    return text or "default"


def _patterns(text: str) -> tuple[str, ...]:
    for pattern in text.split():
        fits(pattern, "")
    return _words(text)


def _selector(text: str) -> str:
    if not is_selector(text):
        raise BadInput("sites.bad_selector", given=text)
    return _text("text_at")(text)


def _layout(text: str) -> Layout:
    try:
        return Layout(text or Layout.NEWS)
    except ValueError:
        raise BadInput("sites.none_of", given=text, choices=", ".join(Layout)) from None


def _text(name: str) -> Callable[[str], str]:
    def cut(text: str) -> str:
        if len(text) > LONGEST[name]:
            raise BadInput("sites.too_long", most=LONGEST[name])
        return text

    return cut


def _optional(read: Read) -> Read:
    return lambda text: read(text) if text else None


def _quiet(text: str) -> str:
    begin, end = window_of(text)
    return f"{begin:%H:%M}-{end:%H:%M}"


def _truth(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise BadInput("sites.bad_truth", given=text)
    return text.lower() in YES


def _number(kind: type[int] | type[float], name: str) -> Read:
    least, most = BOUNDS[name]

    def number(text: str) -> float:
        try:
            given = kind(text)
        except ValueError:
            raise BadInput("sites.no_whole_number" if kind is int else "sites.no_number", given=text) from None
        if not least <= given <= most:
            raise BadInput("sites.bounds", given=text, least=least, most=most)
        return given

    return number


# By the name that people write: the field of the record, and how it is read.
SETTINGS: Final[Mapping[str, tuple[str, Read]]] = {
    "urls": ("start_urls", _starts),
    "name": ("name", _text("name")),
    "hosts": ("hosts", _hosts),
    "layout": ("layout", _layout),
    "kind": ("kind", _optional(_text("kind"))),
    "every": ("interval_hours", _number(float, "every")),
    "cron": ("cron", _optional(checked_cron)),
    "quiet": ("quiet", _optional(_quiet)),
    "include": ("include", _patterns),
    "exclude": ("exclude", _patterns),
    "max_pages": ("max_pages", _number(int, "max_pages")),
    "max_depth": ("max_depth", _number(int, "max_depth")),
    "delay": ("delay", _optional(_number(float, "delay"))),
    "concurrency": ("concurrency", _optional(_number(int, "concurrency"))),
    "text_at": ("text_at", _optional(_selector)),
    "render": ("render", _truth),
    "headers": ("header_profile", _headers),
    "mirrors": ("mirrors", _mirrors),
    "internal": ("internal", _truth),
    "tags": ("tags", _words),
    "notes": ("notes", _text("notes")),
    "paused": ("paused", _truth),
}
