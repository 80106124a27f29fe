"""The reading sites that a file of book sources lists, as reading apps (Legado, 阅读) pass them on: sites of novels."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

from services.acting import Acting
from services.importing.csv_lines import RefusedLine, text_of
from services.sites.book_source_selectors import selector_of
from services.sites.imported_sites import ImportedSites
from services.sites.site_settings import LONGEST, host_of_start
from services.sites.sites import add
from store.errors import BadInput, Conflict
from store.records import Layout, Site
from store.rules.role_rights import Right

TAG: Final = "书源"
_TEXT: Final = 0  # of bookSourceType; the others carry sound, pictures or files
_SHELVES: Final = 20  # lists of books of one source that a crawl starts from
_MOST: Final = 5_000  # sources of one file
_SCRIPT: Final = re.compile(r"@js:|<js>|\{\{(?!page\}\})", re.IGNORECASE)


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
    for number, source in enumerate(_sources(content), start=1):
        try:
            added.append(add(acting, _written(source)))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(number, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def _sources(content: bytes) -> list[Any]:
    try:
        read = json.loads(text_of(content))
    except (ValueError, RecursionError) as error:
        raise BadInput("sites.no_book_sources", error=str(error)[:200]) from None
    sources = read if isinstance(read, list) else [read]
    if len(sources) > _MOST:
        raise BadInput("sites.many_book_sources", most=_MOST)
    return sources


def _written(source: object) -> dict[str, str]:
    """What is set of a site by its source. Raises `BadInput` where it is none of texts."""
    if not isinstance(source, dict) or not isinstance(url := source.get("bookSourceUrl"), str):
        raise BadInput("sites.no_source_address")
    if source.get("bookSourceType") not in (_TEXT, None, str(_TEXT)):
        raise BadInput("sites.source_without_text", url=url[:200])
    front = urldefrag(url.strip()).url
    host_of_start(front)
    return {
        "urls": " ".join(dict.fromkeys((front, *_shelves(source, front)))),
        "name": _string(source, "bookSourceName")[: LONGEST["name"]],
        "layout": Layout.NOVEL,
        "kind": "novel",
        "tags": " ".join((TAG, *_groups(source))),
        "notes": _string(source, "bookSourceComment")[: LONGEST["notes"]],
        "text_at": _text_at(source),
        "paused": "no" if source.get("enabled", True) else "yes",
    }


def _shelves(source: Mapping[str, Any], front: str) -> Iterator[str]:
    """Lists of books, written as `name::address` a line or as JSON; those that take a script to know are left out."""
    written = _string(source, "exploreUrl") or _string(source, "ruleFindUrl")
    try:
        read = json.loads(written)
    except (ValueError, RecursionError):
        read = [{"url": line.rpartition("::")[2]} for line in re.split(r"\n|&&", written)]
    addresses = [one.get("url") for one in read if isinstance(one, dict)] if isinstance(read, list) else []
    usable = [one.strip() for one in addresses if isinstance(one, str) and one.strip() and not _SCRIPT.search(one)]
    for address in usable[:_SHELVES]:
        first = urljoin(front, re.sub(r"\{\{page\}\}|<,[^>]*>", "1", address.partition(',{"')[0]))
        if not re.search(r"\s", first):
            yield first


def _groups(source: Mapping[str, Any]) -> list[str]:
    return re.split(r"[,;，；\s]+", _string(source, "bookSourceGroup").strip())[:5]


def _text_at(source: Mapping[str, Any]) -> str:
    """The place of the text; nothing where the rule says more than a selector can."""
    rules = source.get("ruleContent")
    rule = rules.get("content") if isinstance(rules, dict) else source.get("ruleBookContent")
    selector = selector_of(rule) if isinstance(rule, str) else None
    return selector if selector and len(selector) <= LONGEST["text_at"] else ""


def _string(source: Mapping[str, Any], name: str) -> str:
    value = source.get(name)
    return value.strip() if isinstance(value, str) else ""
