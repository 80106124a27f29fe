"""When a page was published, as it states it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.json_ld import Stated, text_at
from store.rules.china_time import CHINA

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
LONGEST = 200  # characters in which a date is looked for: the blanks in it may stand in several places
URL_DATE = re.compile(r"[/_-](20\d\d)[-/]?([01]\d)[-/]?([0-3]\d)(?=[/_.-])")


def published_at(
    times: Iterable[str], metas: Mapping[str, str], stated: Stated, lines: Iterable[str], url: str
) -> datetime | None:
    """When it was published, in UTC: of the metadata, a time element, the first date in a short line, the address.

    times: of the page's elements, as `times_in` finds them.
    """
    told = (metas[name] for name in TIME_METAS if name in metas)
    short = (line for line in lines if len(line) <= 100)
    for text in chain(told, (text_at(stated, "datePublished") or "",), times, short):
        if (moment := parse_time(text)) is not None:
            return moment
    found = URL_DATE.search(url)
    return parse_time("-".join(found.groups())) if found else None


def times_in(tree: LexborHTMLParser) -> Iterator[str]:
    """What the first time element says, looked for once it is asked for."""
    yield from (node.attributes.get("datetime") or "" for node in tree.css("time[datetime]")[:1])


def hour_in(text: str) -> int | None:
    """The hour that the first date in a text tells, as it is written; None where it tells none."""
    found = TIME.search(text[:LONGEST])
    return int(found[4]) if found is not None and found[4] is not None else None


def parse_time(text: str) -> datetime | None:
    """The first date in a text, in UTC; without a zone it is China's.

    >>> parse_time("发布时间：2024年3月5日 08:30").isoformat()
    '2024-03-05T00:30:00+00:00'
    """
    for found in TIME.finditer(text[:LONGEST]):
        year, month, day, hour, minute, second, zone = found.groups()
        iso = f"{year}-{int(month):02}-{int(day):02}T{int(hour or 0):02}:{int(minute or 0):02}:{int(second or 0):02}"
        try:
            moment = datetime.fromisoformat(iso + (zone or ""))
            return (moment if zone else moment.replace(tzinfo=CHINA)).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None
