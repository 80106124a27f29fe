"""Import sites from CSV files and book sources of reading apps, and export them as CSV."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

from crawler.extraction.style_sheets import is_css_selector
from crawler.fetch.proxy_pool import parse_proxy
from crawler.site_access import mask_url_password
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import BadInput, Conflict, Message
from wenhen.kit.rights import Right
from wenhen.sites.access import enable_font_deciphering, override_robots, set_proxies
from wenhen.sites.model import Layout, Site
from wenhen.sites.service import add_site, find_watched_sites
from wenhen.sites.site_settings import MAX_SETTING_CHARACTERS, SETTINGS, parse_settings, start_url_host
from wenhen.works.importers.csv_rows import RefusedLine, decode_csv, read_csv_lines


@dataclass(frozen=True, slots=True)
class ImportedSites:
    """The added sites, and the rejected lines (or sources, by number) with reasons."""

    added: tuple[Site, ...]
    refused: tuple[RefusedLine, ...]


# CSS selectors from the text rules of book sources of reading apps. A rule of Legado (阅读) is in its own language
# (`class.content@tag.p@text`), CSS after `@css:`, XPath, JSONPath or JavaScript. Rules equivalent to a selector are
# converted. Class indexes, exclusions and replacements have no equivalent and are ignored, so that too much rather than
# too little text is read.


_RULE_ALTERNATIVES: Final = re.compile(r"\|\||&&|%%")
_UNSUPPORTED_RULE: Final = re.compile(r"@js:|<js>|^\s*(?://|@xpath:|\$\.|@json:|:)|\{\{", re.IGNORECASE)
_GETTERS: Final = frozenset(("text", "textnodes", "owntext", "html", "all", "content"))
_SELECTOR_PREFIXES: Final = {"class": ".", "id": "#", "tag": ""}
_IGNORED_SUFFIX: Final = re.compile(r"(?:![-\d:]+|\[[-!\d:, ]+\])$")


def to_css_selector(rule: str) -> str | None:
    """Convert a rule to a CSS selector. Returns None if there is no equivalent."""
    selectors = [_convert_rule(alternative) for alternative in _RULE_ALTERNATIVES.split(rule.partition("##")[0])]
    joined = ", ".join(selector for selector in selectors if selector)
    return joined if joined and is_css_selector(joined) else None


def _convert_rule(rule: str) -> str | None:
    rule = rule.strip()
    if not rule or _UNSUPPORTED_RULE.search(rule):
        return None
    if rule.lower().startswith("@css:"):
        return rule[len("@css:") :].rpartition("@")[0].strip() or None
    steps = [step.strip() for step in rule.lstrip("-+").split("@")]
    if steps[-1].lower() in _GETTERS:
        steps.pop()
    converted = [_convert_step(step) for step in steps]
    return " ".join(step for step in converted if step) if converted and all(converted) else None


def _convert_step(step: str) -> str | None:
    step = _IGNORED_SUFFIX.sub("", step)
    kind, dot, rest = step.partition(".")
    if not dot or kind not in (*_SELECTOR_PREFIXES, "children", "text"):
        return step or None
    if kind not in _SELECTOR_PREFIXES:
        return None
    name, _, index = rest.partition(".")
    if not name or (kind == "tag" and index):  # selects an element only by its position
        return None
    if kind == "class":
        return "." + ".".join(name.split())
    return _SELECTOR_PREFIXES[kind] + name


# Import of book sources of reading apps (Legado, 阅读): sites with novels.


BOOK_SOURCE_TAG: Final = "书源"
_TEXT_SOURCE_TYPE: Final = 0  # value of bookSourceType; the others are audio, images or files
_MAX_SHELVES: Final = 20  # start URLs per source
_MAX_SOURCES: Final = 5_000  # sources per file
_SCRIPT_RULE: Final = re.compile(r"@js:|<js>|\{\{(?!page\}\})", re.IGNORECASE)


def is_book_sources(content: bytes) -> bool:
    """Return whether a file contains book sources, that is JSON rather than CSV."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def import_book_sources(acting: Acting, content: bytes) -> ImportedSites:
    """Watch the sites of a book source file.

    The start URLs are the front page and the lists of books. The text selector is set if the rule can be converted. An
    unusable source is rejected with its number. A source that its author disabled is paused.

    Raises `BadInput` if the file is invalid.
    """
    acting.require(Right.SITES)
    added: list[Site] = []
    refused: list[RefusedLine] = []
    for number, source in enumerate(_parse_sources(content), start=1):
        try:
            added.append(add_site(acting, _source_settings(source)))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(number, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def _parse_sources(content: bytes) -> list[Any]:
    try:
        read = json.loads(decode_csv(content))
    except (ValueError, RecursionError) as error:
        raise BadInput("sites.no_book_sources", error=str(error)[:200]) from None
    sources = read if isinstance(read, list) else [read]
    if len(sources) > _MAX_SOURCES:
        raise BadInput("sites.many_book_sources", most=_MAX_SOURCES)
    return sources


def _source_settings(source: object) -> dict[str, str]:
    """Return the site settings for a book source. Raises `BadInput` if it is no source of texts."""
    if not isinstance(source, dict) or not isinstance(url := source.get("bookSourceUrl"), str):
        raise BadInput("sites.no_source_address")
    if source.get("bookSourceType") not in (_TEXT_SOURCE_TYPE, None, str(_TEXT_SOURCE_TYPE)):
        raise BadInput("sites.source_without_text", url=url[:200])
    front = urldefrag(url.strip()).url
    start_url_host(front)
    return {
        "urls": " ".join(dict.fromkeys((front, *_shelf_urls(source, front)))),
        "name": _text_field(source, "bookSourceName")[: MAX_SETTING_CHARACTERS["name"]],
        "layout": Layout.NOVEL,
        "kind": "novel",
        "tags": " ".join((BOOK_SOURCE_TAG, *_group_tags(source))),
        "notes": _text_field(source, "bookSourceComment")[: MAX_SETTING_CHARACTERS["notes"]],
        "text_at": _text_selector(source),
        "paused": "no" if source.get("enabled", True) else "yes",
    }


def _shelf_urls(source: Mapping[str, Any], front: str) -> Iterator[str]:
    """Yield URLs of book lists, written as `name::address` lines or as JSON. URLs that need a script are left out."""
    written = _text_field(source, "exploreUrl") or _text_field(source, "ruleFindUrl")
    try:
        read = json.loads(written)
    except (ValueError, RecursionError):
        read = [{"url": line.rpartition("::")[2]} for line in re.split(r"\n|&&", written)]
    addresses = [item.get("url") for item in read if isinstance(item, dict)] if isinstance(read, list) else []
    usable = [
        address.strip()
        for address in addresses
        if isinstance(address, str) and address.strip() and not _SCRIPT_RULE.search(address)
    ]
    for address in usable[:_MAX_SHELVES]:
        first = urljoin(front, re.sub(r"\{\{page\}\}|<,[^>]*>", "1", address.partition(',{"')[0]))
        if not re.search(r"\s", first):
            yield first


def _group_tags(source: Mapping[str, Any]) -> list[str]:
    return re.split(r"[,;，；\s]+", _text_field(source, "bookSourceGroup").strip())[:5]


def _text_selector(source: Mapping[str, Any]) -> str:
    """Return the CSS selector of the text, or "" if the rule has no equivalent."""
    rules = source.get("ruleContent")
    rule = rules.get("content") if isinstance(rules, dict) else source.get("ruleBookContent")
    selector = to_css_selector(rule) if isinstance(rule, str) else None
    return selector if selector and len(selector) <= MAX_SETTING_CHARACTERS["text_at"] else ""


def _text_field(source: Mapping[str, Any], name: str) -> str:
    value = source.get(name)
    return value.strip() if isinstance(value, str) else ""


# CSV export and import of sites. The import rejects unusable lines with a reason.


# Decisions of administrators, and the functions that apply them. An empty cell means no decision.
ACCESS_DECISIONS: Final[Mapping[str, Callable[[Acting, str, str], object]]] = {
    "ignore_robots": lambda acting, id, reason: override_robots(acting, id, reason=reason),
    "decipher": lambda acting, id, reason: enable_font_deciphering(acting, id, reason=reason),
    "proxies": lambda acting, id, urls: set_proxies(acting, id, urls.split()),
}
CSV_COLUMNS: Final = ("id", *SETTINGS, *ACCESS_DECISIONS)


def import_sites_csv(acting: Acting, content: bytes) -> ImportedSites:
    """Add the sites of a CSV file in UTF-8 or GB18030, separated by commas, tabs or semicolons.

    The first line names the columns from `CSV_COLUMNS`, of which urls is required. An unusable line is rejected, and
    the others are added. Lines of internal sites need the right `ACCESS`.

    Raises `BadInput` for a bad first line and for a file that is no text.
    """
    acting.require(Right.SITES)
    added: list[Site] = []
    refused: list[RefusedLine] = []
    for line in read_csv_lines(decode_csv(content), CSV_COLUMNS, needed=["urls"]):
        if isinstance(line, RefusedLine):
            refused.append(line)
            continue
        try:
            added.append(_add_row(acting, dict(line.written)))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(line.line, error.message, line.row))
    return ImportedSites(tuple(added), tuple(refused))


def export_sites_csv(acting: Acting, tag: str | None = None) -> bytes:
    """Export all sites, or those with a tag, in the format of `import_sites_csv`.

    Cookies, and proxies with a password, are left out. Other proxies need the right `ACCESS`.
    """
    acting.require(Right.READ)
    table = io.StringIO(newline="")
    rows = csv.DictWriter(table, CSV_COLUMNS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(_csv_row(acting, site) for site in find_watched_sites(acting.product, tag))
    return table.getvalue().encode("utf-8-sig")


def _csv_row(acting: Acting, site: Site) -> dict[str, str]:
    proxies = acting.product.store.accesses.get(site.id).proxies if acting.may(Right.ACCESS) else ()
    decided = {
        "ignore_robots": site.ignore_robots_reason or "",
        "decipher": site.decipher_reason or "",
        "proxies": " ".join(url for url in proxies if mask_url_password(url) == url),
    }
    return {
        "id": site.id,
        **{name: _csv_cell(getattr(site, field)) for name, (field, _) in SETTINGS.items()},
        **decided,
    }


def _csv_cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case tuple():
            return " ".join(value)
        case float():
            return repr(value).removesuffix(".0")
    return str(value)


def _add_row(acting: Acting, written: dict[str, str]) -> Site:
    decided = {name: text for name in ACCESS_DECISIONS if (text := written.pop(name, "").strip())}
    if not acting.may(Right.ACCESS):
        _refuse_access(written, decided)
    for url in decided.get("proxies", "").split():
        parse_proxy(url)
    site = add_site(acting, written, id=written.pop("id", "").strip() or None)
    for name, text in decided.items():
        ACCESS_DECISIONS[name](acting, site.id, text)
    return acting.product.store.sites.get(site.id)


def _refuse_access(written: Mapping[str, str], decided: Mapping[str, str]) -> None:
    if parse_settings({"internal": written.get("internal", "")})["internal"]:
        raise BadInput("sites.bad_setting", setting="internal", reason=Message("sites.internal_line"))
    for setting in decided:
        raise BadInput("sites.bad_setting", setting=setting, reason=Message("sites.administrators_line"))


def import_sites(acting: Acting, content: bytes) -> ImportedSites:
    """Import sites from a CSV file or from book sources of a reading app. Raises `BadInput`."""
    return import_book_sources(acting, content) if is_book_sources(content) else import_sites_csv(acting, content)
