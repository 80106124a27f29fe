"""Title, author and time of publication, as a page states them."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

from selectolax.lexbor import LexborHTMLParser

SHANGHAI = timezone(timedelta(hours=8))  # a time without a zone on a Chinese page is China's, which has no summer time
TITLE_SEPARATORS = re.compile(r"\s*[_|—–]+\s*|\s+-+\s+")
AUTHOR_METAS = ("author", "article:author", "og:novel:author", "byl", "dc.creator")
AUTHOR_LINE = re.compile(r"(?:作\s*者|撰\s*文|文)\s*[:：／/|]\s*([^\s:：|/，,。]{2,20})")
TIME_METAS = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "publishdate",
    "pubdate",
    "publish_time",
    "og:release_date",
    "weibo:article:create_at",
    "dc.date",
)
TIME = re.compile(
    r"((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?"
    r"(?:[T\s]*(\d{1,2})\s*[:：时]\s*(\d{1,2})(?:\s*[:：分]\s*(\d{1,2}))?)?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?"
)
URL_DATE = re.compile(r"[/_-](20\d\d)[-/]?([01]\d)[-/]?([0-3]\d)(?=[/_.-])")
HEAD_LINES = 60  # of a page, where a byline and a date are looked for


def title(tree: LexborHTMLParser) -> str | None:
    """The page's title without the site's name."""
    whole = _text(tree, "title")
    stated = _metas(tree).get("og:title")
    if stated and stated.strip():
        return stated.strip()
    for heading in tree.css("h1"):
        text = " ".join((heading.text(deep=True) or "").split())
        if text and whole and text in whole:
            return text
    if whole is None:
        return _text(tree, "h1")
    return TITLE_SEPARATORS.split(whole)[0] or whole


def author(tree: LexborHTMLParser, lines: Iterable[str]) -> str | None:
    """Who wrote it: of the metadata, else of a byline."""
    metas = _metas(tree)
    for name in AUTHOR_METAS:
        value = metas.get(name, "").strip()
        if value and not value.isdecimal() and "@" not in value and "://" not in value:
            return value[:100]
    for line in lines:
        if len(line) <= 100 and (found := AUTHOR_LINE.search(line)):
            return found[1]
    return None


def published_at(tree: LexborHTMLParser, lines: Iterable[str], url: str) -> datetime | None:
    """When it was published, in UTC: of the metadata, a time element, the first date in a short line, the address."""
    metas = _metas(tree)
    stated = [metas[name] for name in TIME_METAS if name in metas]
    stated += [node.attributes.get("datetime") or "" for node in tree.css("time[datetime]")[:1]]
    short = (line for line in lines if len(line) <= 100)
    for text in (*stated, *short):
        if (moment := parse_time(text)) is not None:
            return moment
    found = URL_DATE.search(url)
    return parse_time("-".join(found.groups())) if found else None


def parse_time(text: str) -> datetime | None:
    """The first date in a text, in UTC; without a zone it is China's.

    >>> parse_time("发布时间：2024年3月5日 08:30").isoformat()
    '2024-03-05T00:30:00+00:00'
    """
    for found in TIME.finditer(text):
        year, month, day, hour, minute, second, zone = found.groups()
        iso = f"{year}-{int(month):02}-{int(day):02}T{int(hour or 0):02}:{int(minute or 0):02}:{int(second or 0):02}"
        try:
            moment = datetime.fromisoformat(iso + (zone or ""))
            return (moment if zone else moment.replace(tzinfo=SHANGHAI)).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            found.setdefault(name.lower(), attributes.get("content") or "")
    return found


def _text(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    text = " ".join((node.text(deep=True) or "").split()) if node else ""
    return text or None
