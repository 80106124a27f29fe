"""The sites as a CSV file, with all that is set of them, and such a file taken in again: line by line, what cannot be
used refused with its reason.
"""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Final

from crawler.fetch.proxy_pool import parse_proxy
from services.acting import Acting
from services.importing.csv_lines import RefusedLine, read_lines, text_of
from services.sites.imported_sites import ImportedSites
from services.sites.site_access import decipher_fonts, override_robots, set_proxies
from services.sites.site_settings import SETTINGS, read
from services.sites.sites import add, watched
from store.errors import BadInput, Conflict
from store.messages import Message
from store.records import Site
from store.rules.role_rights import Right
from store.rules.web.shown_access import masked

# What an administrator decides beside the settings, and how; an empty cell decides nothing.
DECISIONS: Final[Mapping[str, Callable[[Acting, str, str], object]]] = {
    "ignore_robots": lambda acting, id, reason: override_robots(acting, id, reason=reason),
    "decipher": lambda acting, id, reason: decipher_fonts(acting, id, reason=reason),
    "proxies": lambda acting, id, urls: set_proxies(acting, id, urls.split()),
}
COLUMNS: Final = ("id", *SETTINGS, *DECISIONS)


def import_csv(acting: Acting, content: bytes) -> ImportedSites:
    """Add the sites of a CSV file, in UTF-8 or as Excel writes it in China, whose first line names the columns; tabs or
    semicolons may stand between them.

    These are `COLUMNS`, of which urls must be there. A line that cannot be used is refused, and the others are added;
    lines of internal sites only for those who may add these. Raises `BadInput` for the first line, and for what is no
    text.
    """
    acting.require(Right.SITES)
    added: list[Site] = []
    refused: list[RefusedLine] = []
    for one in read_lines(text_of(content), COLUMNS, needed=["urls"]):
        if isinstance(one, RefusedLine):
            refused.append(one)
            continue
        try:
            added.append(_added(acting, dict(one.written)))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(one.line, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def export_csv(acting: Acting, tag: str | None = None) -> bytes:
    """All sites, or those with a tag, as `import_csv` takes them. Sessions stay where they are, and so do proxies whose
    address holds a password; proxies are for those who may set them.
    """
    acting.require(Right.READ)
    table = io.StringIO(newline="")
    rows = csv.DictWriter(table, COLUMNS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(_line(acting, site) for site in watched(acting.product, tag))
    return table.getvalue().encode("utf-8-sig")


def _line(acting: Acting, site: Site) -> dict[str, str]:
    proxies = acting.product.store.accesses.get(site.id).proxies if acting.may(Right.ACCESS) else ()
    decided = {
        "ignore_robots": site.ignore_robots_reason or "",
        "decipher": site.decipher_reason or "",
        "proxies": " ".join(url for url in proxies if masked(url) == url),
    }
    return {"id": site.id, **{name: _cell(getattr(site, field)) for name, (field, _) in SETTINGS.items()}, **decided}


def _cell(value: object) -> str:
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


def _added(acting: Acting, written: dict[str, str]) -> Site:
    decided = {name: text for name in DECISIONS if (text := written.pop(name, "").strip())}
    if not acting.may(Right.ACCESS):
        _refuse_access(written, decided)
    for url in decided.get("proxies", "").split():
        parse_proxy(url)
    site = add(acting, written, id=written.pop("id", "").strip() or None)
    for name, text in decided.items():
        DECISIONS[name](acting, site.id, text)
    return acting.product.store.sites.get(site.id)


def _refuse_access(written: Mapping[str, str], decided: Mapping[str, str]) -> None:
    if read({"internal": written.get("internal", "")})["internal"]:
        raise BadInput("sites.bad_setting", setting="internal", reason=Message("sites.internal_line"))
    for setting in decided:
        raise BadInput("sites.bad_setting", setting=setting, reason=Message("sites.administrators_line"))
