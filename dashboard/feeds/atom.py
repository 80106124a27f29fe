"""Write cases as an Atom feed (RFC 4287)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from flask import url_for

from dashboard.frame.language import LANGUAGES, language, t
from wenhen.cases.model import Case
from wenhen.kit.text import escape_invisible

ATOM: Final = "http://www.w3.org/2005/Atom"
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)  # of a feed without cases


def write_case_feed(cases: Sequence[Case], home: str) -> bytes:
    """Return a feed with an entry for each case. `home` is the address of the dashboard."""
    feed = Element("feed", {"xmlns": ATOM, "xml:lang": LANGUAGES[language()]})
    _add(feed, "title", t("feeds.cases_title"))
    _add(feed, "id", f"{home}#cases")
    _add(feed, "updated", _moment(max((case.opened_at for case in cases), default=_EPOCH)))
    author = SubElement(feed, "author")
    _add(author, "name", "wenhen")
    SubElement(feed, "link", rel="alternate", href=url_for("suspects.find", _external=True))
    for case in cases:
        feed.append(_make_entry(case))
    return bytes(tostring(feed, encoding="utf-8", xml_declaration=True))


def _make_entry(case: Case) -> Element:
    entry, address = Element("entry"), url_for("case.show", number=case.number, _external=True)
    _add(entry, "title", f"#{case.number} {case.work_title} · {case.page_host}")
    _add(entry, "id", address)
    _add(entry, "updated", _moment(case.opened_at))
    SubElement(entry, "link", rel="alternate", href=address)
    _add(entry, "summary", f"{case.page_title or ''}\n{case.page_url}".strip())
    return entry


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = escape_invisible(text)


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
