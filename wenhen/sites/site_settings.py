"""Parse the settings of a site from user input."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from crawler.addresses import ascii_host, complete_address
from crawler.extraction.style_sheets import is_css_selector
from crawler.job import is_url_match
from crawler.site_access import find_header_profile, mask_url_password
from wenhen.kit.errors import BadInput
from wenhen.sites.model import Layout
from wenhen.sites.schedule import check_cron, parse_quiet_window


class SettingBounds(NamedTuple):
    """The smallest and largest allowed value of a number."""

    least: float
    most: float


SettingParser = Callable[[str], object]
YES_WORDS, NO_WORDS = frozenset(("1", "yes", "true", "on", "是")), frozenset(("", "0", "no", "false", "off", "否"))
SETTING_DEFAULTS: Final[Mapping[str, str]] = {"every": "24", "max_pages": "1000", "max_depth": "5"}
SETTING_BOUNDS: Final[Mapping[str, SettingBounds]] = {
    "every": SettingBounds(0.1, 8_760),  # hours
    "max_pages": SettingBounds(1, 1_000_000),
    "max_depth": SettingBounds(0, 50),
    "delay": SettingBounds(0, 3_600),  # seconds
    "concurrency": SettingBounds(1, 64),
}
MAX_SETTING_CHARACTERS: Final[Mapping[str, int]] = {
    "name": 200,
    "kind": 200,
    "notes": 5_000,
    "text_at": 300,
    "spider": 200,
}  # characters


def start_url_host(url: str) -> str:
    """Return the host of a start URL. Raises `BadInput`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput("sites.bad_address", url=url)
    if parts.username is not None:
        raise BadInput("sites.login_in_address", url=mask_url_password(url))
    return ascii_host(parts.hostname)


def parse_settings(written: Mapping[str, str]) -> dict[str, Any]:
    """Parse setting texts by the names in `SETTINGS`, and return the fields of `Site`.

    An empty text resets a setting. Lists are separated by whitespace. Raises `BadInput` that names the setting.
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


def _parse_start_urls(text: str) -> tuple[str, ...]:
    urls = tuple(dict.fromkeys(complete_address(url) or url for url in text.split()))
    if not urls:
        raise BadInput("sites.no_address")
    for url in urls:
        start_url_host(url)
    return urls


def _parse_words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))


def _parse_hosts(text: str) -> tuple[str, ...]:
    for host in text.split():
        if any(sign in host for sign in "/:@"):
            raise BadInput("sites.bad_host", host=host)
    return tuple(dict.fromkeys(map(ascii_host, text.split())))


def _parse_mirrors(text: str) -> tuple[str, ...]:
    for host in text.split():
        if "*" in host:
            raise BadInput("sites.several_hosts", host=host)
    return _parse_hosts(text)


def _parse_headers(text: str) -> str:
    find_header_profile(text or "default")
    return text or "default"


def _parse_patterns(text: str) -> tuple[str, ...]:
    for pattern in text.split():
        is_url_match(pattern, "")
    return _parse_words(text)


def _parse_selector(text: str) -> str:
    if not is_css_selector(text):
        raise BadInput("sites.bad_selector", given=text)
    return _text_parser("text_at")(text)


def _parse_spider(text: str) -> str:
    module, colon, name = _text_parser("spider")(text).partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), name)):
        raise BadInput("sites.bad_spider", given=text)
    return text


def _parse_layout(text: str) -> Layout:
    try:
        return Layout(text or Layout.NEWS)
    except ValueError:
        raise BadInput("sites.none_of", given=text, choices=", ".join(Layout)) from None


def _text_parser(name: str) -> Callable[[str], str]:
    def cut(text: str) -> str:
        if len(text) > MAX_SETTING_CHARACTERS[name]:
            raise BadInput("sites.too_long", most=MAX_SETTING_CHARACTERS[name])
        return text

    return cut


def _optional_parser(read: SettingParser) -> SettingParser:
    return lambda text: read(text) if text else None


def _parse_quiet_hours(text: str) -> str:
    begin, end = parse_quiet_window(text)
    return f"{begin:%H:%M}-{end:%H:%M}"


def _parse_truth(text: str) -> bool:
    if text.lower() not in YES_WORDS | NO_WORDS:
        raise BadInput("sites.bad_truth", given=text)
    return text.lower() in YES_WORDS


def _number_parser(kind: type[int] | type[float], name: str) -> SettingParser:
    least, most = SETTING_BOUNDS[name]

    def number(text: str) -> float:
        try:
            given = kind(text)
        except ValueError:
            raise BadInput("sites.no_whole_number" if kind is int else "sites.no_number", given=text) from None
        if not least <= given <= most:
            raise BadInput("sites.bounds", given=text, least=least, most=most)
        return given

    return number


# The field of `Site` and the parser for each setting name.
SETTINGS: Final[Mapping[str, tuple[str, SettingParser]]] = {
    "urls": ("start_urls", _parse_start_urls),
    "name": ("name", _text_parser("name")),
    "hosts": ("hosts", _parse_hosts),
    "layout": ("layout", _parse_layout),
    "kind": ("kind", _optional_parser(_text_parser("kind"))),
    "every": ("interval_hours", _number_parser(float, "every")),
    "cron": ("cron", _optional_parser(check_cron)),
    "quiet": ("quiet", _optional_parser(_parse_quiet_hours)),
    "include": ("include", _parse_patterns),
    "exclude": ("exclude", _parse_patterns),
    "max_pages": ("max_pages", _number_parser(int, "max_pages")),
    "max_depth": ("max_depth", _number_parser(int, "max_depth")),
    "delay": ("delay", _optional_parser(_number_parser(float, "delay"))),
    "concurrency": ("concurrency", _optional_parser(_number_parser(int, "concurrency"))),
    "text_at": ("text_at", _optional_parser(_parse_selector)),
    "spider": ("spider", _optional_parser(_parse_spider)),
    "render": ("render", _parse_truth),
    "headers": ("header_profile", _parse_headers),
    "mirrors": ("mirrors", _parse_mirrors),
    "internal": ("internal", _parse_truth),
    "tags": ("tags", _parse_words),
    "notes": ("notes", _text_parser("notes")),
    "paused": ("paused", _parse_truth),
}
