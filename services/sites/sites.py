"""The websites that are watched: added, changed, paused; the commands, the dashboard and CSV files all do it here."""

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from crawler.crawl.hosts import readable_host
from pipeline.pages.mirrors import declare_mirrors
from services.context import Product
from services.crawls.due import next_due
from services.crawls.runs import stop
from services.sites.settings import SETTINGS, host_of_start, read
from services.sites.watching import watch
from store.errors import BadInput, Conflict
from store.records import RunKind, Site

DEFAULTS = {"every": "24", "max_pages": "1000", "max_depth": "5"}
PASSED = ("name", "hosts", "max_pages", "max_depth", "kind", "internal")  # by what `watch` calls them
OWN_COLUMNS = ("id", *SETTINGS)
SEPARATORS = (",", "\t", ";")
_NAME = 60  # characters of a column's name that a message shows


@dataclass(frozen=True, slots=True)
class Imported:
    """What a CSV file brought: the sites that were added, and the lines that were not, each with its reason."""

    added: tuple[Site, ...]
    refused: tuple[tuple[int, str], ...]


def add(product: Product, written: Mapping[str, str], *, id: str | None = None) -> Site:
    """Watch one more site. Raises `BadInput`, `Conflict`."""
    values = read({"urls": "", **DEFAULTS, **{name: text for name, text in written.items() if text.strip()}})
    mirrors = values.pop("mirrors", ())
    site = watch(
        product,
        values.pop("start_urls"),
        id=id,
        every=values.pop("interval_hours"),
        **{name: values.pop(name) for name in PASSED if name in values},
        more=values,
    )
    return declare_mirrors(product, site.id, mirrors) if mirrors else site


def edit(product: Product, id: str, written: Mapping[str, str]) -> Site:
    """Change a site, also while it is crawled: the next run goes by it. Raises `NotFound`, `BadInput`."""
    site = product.store.sites.get(id)
    values = read(written)
    if "name" in values:
        values["name"] = values["name"] or readable_host(site.hosts[0])
    if "start_urls" in values or "hosts" in values:
        values["hosts"] = _hosts(site, values)
    mirrors = values.pop("mirrors", site.mirrors)
    changed = replace(site, **values)
    if (changed.cron, changed.interval_hours) != (site.cron, site.interval_hours):
        values["due"] = next_due(replace(changed, due=product.now()), product.now())
    changed = product.store.sites.change(id, values) if values else site
    return declare_mirrors(product, id, mirrors) if mirrors != site.mirrors else changed


def pause(product: Product, id: str) -> Site:
    """Crawl a site no longer when it is due. Raises `NotFound`."""
    return product.store.sites.change(id, {"paused": True})


def resume(product: Product, id: str) -> Site:
    """Crawl a paused site again: one with an interval at once if its time has passed, one with fixed times at the next.

    Raises `NotFound`.
    """
    site = product.store.sites.get(id)
    moved: dict[str, Any] = {"due": next_due(site, product.now())} if site.cron and site.due <= product.now() else {}
    return product.store.sites.change(id, {"paused": False} | moved)


def remove(product: Product, id: str) -> None:
    """Watch a site no longer, end its crawl, and forget how it was reached; its pages and cases stay. Raises
    `NotFound`.
    """
    product.store.sites.remove(id)
    product.store.accesses.remove(id)
    for run in product.store.runs.active(RunKind.CRAWL):
        if run.subject == id:
            with suppress(Conflict):  # it has ended meanwhile
                stop(product, run.id)


def tagged(product: Product, ids: Sequence[str], tag: str | None) -> list[str]:
    """The ids that are given, and those of the sites with the tag. Raises `BadInput` when that is none."""
    found = [*ids, *(site.id for site in product.store.sites.all() if tag and tag in site.tags)]
    if not found:
        raise BadInput(f"no site has the tag {tag}" if tag else "name a site, or a tag")
    return list(dict.fromkeys(found))


def import_csv(product: Product, content: bytes, *, internal: bool = True) -> Imported:
    """Add the sites of a CSV file, in UTF-8 or as Excel writes it in China, whose first line names the columns; tabs or
    semicolons may stand between them.

    These are `OWN_COLUMNS`, of which urls must be there. A line that cannot be used is refused, and the others are
    added; lines of internal sites only where these may be added. Raises `BadInput` for the first line, and for what is
    no text.
    """
    rows, columns = _opened(_text_of(content))
    unknown = [name for name in columns if name not in OWN_COLUMNS]
    if unknown or "urls" not in columns:
        what = f"has the unknown column {unknown[0][:_NAME]!r}" if unknown else "has no column urls"
        raise BadInput(f"the first line {what}; columns are {', '.join(OWN_COLUMNS)}")
    added: list[Site] = []
    refused: list[tuple[int, str]] = []
    while (row := _next(rows, refused)) is not None:
        if "" in row:
            refused.append((rows.line_num, "more fields than the first line names"))
            continue
        written = {name: value or "" for name, value in row.items()}
        if not any(value.strip() for value in written.values()):
            continue
        try:
            if not internal:
                _refuse_internal(written)
            added.append(add(product, written, id=written.pop("id", "").strip() or None))
        except (BadInput, Conflict) as error:
            refused.append((rows.line_num, str(error)))
    return Imported(tuple(added), tuple(refused))


def _opened(text: str) -> tuple["csv.DictReader[str]", list[str]]:
    first = text.partition("\n")[0]
    between = next((sign for sign in SEPARATORS if sign in first), SEPARATORS[0])
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey="", delimiter=between, strict=True)
    try:
        columns = [name.strip().lower() for name in rows.fieldnames or ()]
    except csv.Error as error:
        raise BadInput(f"the file is no CSV in lines of columns ({error}): save it as CSV UTF-8") from None
    rows.fieldnames = columns
    return rows, columns


def _text_of(content: bytes) -> str:
    """Not detected: a table of addresses holds too few Chinese characters for that."""
    for charset in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(charset)
        except UnicodeDecodeError:
            continue
    raise BadInput("the file is no CSV in UTF-8 or GB18030: save it as CSV UTF-8")


def _refuse_internal(written: Mapping[str, str]) -> None:
    if read({"internal": written.get("internal", "")})["internal"]:
        raise BadInput("internal: only an administrator adds sites that may be at a private address")


def _next(rows: "csv.DictReader[str]", refused: list[tuple[int, str]]) -> dict[str, Any] | None:
    while True:
        try:
            return next(rows)
        except StopIteration:
            return None
        except csv.Error as error:
            refused.append((rows.line_num + 1, f"not CSV: {error}"))  # where it begins


def _hosts(site: Site, values: Mapping[str, Any]) -> tuple[str, ...]:
    starts = (host_of_start(url) for url in values.get("start_urls", site.start_urls))
    return tuple(dict.fromkeys((*starts, *values.get("hosts", site.hosts))))
