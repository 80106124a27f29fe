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
from wenhen.kit.errors import BadInput, Conflict, Message
from wenhen.kit.rights import Right
from wenhen.product.use_cases import Acting
from wenhen.sites.access import enable_font_deciphering, override_robots, set_proxies
from wenhen.sites.model import Layout, Site
from wenhen.sites.service import add_site, find_watched_sites
from wenhen.sites.settings import MAX_SETTING_CHARACTERS, SETTINGS, parse_settings, start_url_host
from wenhen.works.importers.csv_rows import RefusedLine, decode_csv, read_csv_lines


@dataclass(frozen=True, slots=True)
class ImportedSites:
    """The sites that were added, and the lines, or the sources by their number, that were not."""

    added: tuple[Site, ...]
    refused: tuple[RefusedLine, ...]


# Where the text of a chapter stands, as reading apps write it in their book sources, as CSS selectors.
#
# A rule of Legado (阅读) is one of several languages: its own (`class.content@tag.p@text`), CSS behind `@css:`, XPath,
# JSONPath or JavaScript. Those that say the same as a selector are translated; an index of a class, and what a rule
# leaves out or rewrites, are not in a selector and fall away: more is read rather than less.


_RULE_ALTERNATIVES: Final = re.compile(r"\|\||&&|%%")
_UNSUPPORTED_RULE: Final = re.compile(r"@js:|<js>|^\s*(?://|@xpath:|\$\.|@json:|:)|\{\{", re.IGNORECASE)
_GETTERS: Final = frozenset(("text", "textnodes", "owntext", "html", "all", "content"))
_SELECTOR_PREFIXES: Final = {"class": ".", "id": "#", "tag": ""}
_IGNORED_SUFFIX: Final = re.compile(r"(?:![-\d:]+|\[[-!\d:, ]+\])$")


def to_css_selector(rule: str) -> str | None:
    """The selector that fits where a rule does; None where none says that."""
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
    if not name or (kind == "tag" and index):  # one of many elements, told by its place alone
        return None
    if kind == "class":
        return "." + ".".join(name.split())
    return _SELECTOR_PREFIXES[kind] + name


# The reading sites that a file of book sources lists, as reading apps (Legado, 阅读) pass them on: sites of novels.


BOOK_SOURCE_TAG: Final = "书源"
_TEXT_SOURCE_TYPE: Final = 0  # of bookSourceType; the others carry sound, pictures or files
_MAX_SHELVES: Final = 20  # lists of books of one source that a crawl starts from
_MAX_SOURCES: Final = 5_000  # sources of one file
_SCRIPT_RULE: Final = re.compile(r"@js:|<js>|\{\{(?!page\}\})", re.IGNORECASE)


def is_book_sources(content: bytes) -> bool:
    """Whether a file is one of book sources: JSON, and no table."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def import_book_sources(acting: Acting, content: bytes) -> ImportedSites:
    """Watch the sites of such a file: from their front pages and lists of books, with the place of their text where the
    rule for it can be translated. A source that cannot be watched is refused with its number, and the rest is taken;
    one that its author switched off is paused. Raises `BadInput` for what is no such file.
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
    """What is set of a site by its source. Raises `BadInput` where it is none of texts."""
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
    """Lists of books, written as `name::address` a line or as JSON; those that take a script to know are left out."""
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
    """The place of the text; nothing where the rule says more than a selector can."""
    rules = source.get("ruleContent")
    rule = rules.get("content") if isinstance(rules, dict) else source.get("ruleBookContent")
    selector = to_css_selector(rule) if isinstance(rule, str) else None
    return selector if selector and len(selector) <= MAX_SETTING_CHARACTERS["text_at"] else ""


def _text_field(source: Mapping[str, Any], name: str) -> str:
    value = source.get(name)
    return value.strip() if isinstance(value, str) else ""


# The sites as a CSV file, with all that is set of them, and such a file taken in again: line by line, what cannot be
# used refused with its reason.


# What an administrator decides beside the settings, and how; an empty cell decides nothing.
ACCESS_DECISIONS: Final[Mapping[str, Callable[[Acting, str, str], object]]] = {
    "ignore_robots": lambda acting, id, reason: override_robots(acting, id, reason=reason),
    "decipher": lambda acting, id, reason: enable_font_deciphering(acting, id, reason=reason),
    "proxies": lambda acting, id, urls: set_proxies(acting, id, urls.split()),
}
CSV_COLUMNS: Final = ("id", *SETTINGS, *ACCESS_DECISIONS)


def import_sites_csv(acting: Acting, content: bytes) -> ImportedSites:
    """Add the sites of a CSV file, in UTF-8 or as Excel writes it in China, whose first line names the columns; tabs or
    semicolons may stand between them.

    These are `CSV_COLUMNS`, of which urls must be there. A line that cannot be used is refused, and the others are
    added; lines of internal sites only for those who may add these. Raises `BadInput` for the first line, and for what
    is no text.
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
            refused.append(RefusedLine(line.line, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def export_sites_csv(acting: Acting, tag: str | None = None) -> bytes:
    """All sites, or those with a tag, as `import_sites_csv` takes them. Sessions stay where they are, and so do proxies
    whose address holds a password; proxies are for those who may set them.
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
    """Watch the sites of a CSV file, or of the book sources of a reading app. Raises `BadInput`."""
    return import_book_sources(acting, content) if is_book_sources(content) else import_sites_csv(acting, content)
