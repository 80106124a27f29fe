"""Rows of a table, or JSON objects, as pages: by the names that columns usually have."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from crawler.archives.archived_page import HTML, LARGEST, ArchivedPage, Unusable, plain_text
from store.messages import message

URL: Final = ("url", "uri", "target_uri", "warc_target_uri")
MARKUP: Final = ("html", "raw_html", "body", "content_html")
TEXT: Final = ("text", "content", "raw_content")
TITLE: Final = ("title",)
DATE: Final = ("fetched_at", "fetch_time", "date", "timestamp", "warc_date")
COLUMNS: Final = frozenset((*URL, *MARKUP, *TEXT, *TITLE, *DATE))


def page_of(row: Mapping[str, Any], where: str, otherwise: datetime) -> ArchivedPage | Unusable:
    """The page of a row. where: it stands, for people; otherwise: its date where it has none."""
    url, markup, text = (_first(row, names) for names in (URL, MARKUP, TEXT))
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return Unusable(where, message("bulk.no_url", where=where, names=", ".join(URL)))
    if markup is None and text is None:
        return Unusable(url, message("bulk.no_content", where=where, names=", ".join((*MARKUP, *TEXT))))
    body = markup.encode() if isinstance(markup, str) else bytes(markup or b"")
    if len(body) > LARGEST or len(text or "") > LARGEST:
        return Unusable(url, message("bulk.too_large", url=url, most=LARGEST >> 20))
    title = _first(row, TITLE)
    return ArchivedPage(
        url=url,
        fetched_at=_moment(_first(row, DATE), otherwise),
        headers=HTML if isinstance(markup, str) else (),
        body=body,
        text=None if body else plain_text(str(text)),
        title=str(title) if title else None,
    )


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _moment(value: Any, otherwise: datetime) -> datetime:
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return otherwise
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
