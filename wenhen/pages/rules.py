"""Decide how a capture updates its page, when to recrawl a page, and how to group texts."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from crawler.capture import NOT_MODIFIED, Capture
from wenhen.kit.progress import Progress, Step
from wenhen.pages.model import Page

# Recrawl schedule: the interval shrinks after a change and grows otherwise.


HOURS_PER_DAY: Final = 24.0  # hours
MIN_LOOK_HOURS: Final = 1.0  # hours between two recrawls of a page
MAX_LOOK_HOURS: Final = 14 * HOURS_PER_DAY
CHANGED_FACTOR, UNCHANGED_FACTOR = 0.5, 1.5  # multiply the recrawl interval


class ScheduledLook(NamedTuple):
    """The next recrawl of a page."""

    interval_hours: float  # since the previous crawl of the page
    look_at: datetime


def first_look(moment: datetime, hours: float) -> ScheduledLook:
    """Return the first recrawl of a new page.

    hours: crawl interval of its site.
    """
    hours = min(max(hours, MIN_LOOK_HOURS), MAX_LOOK_HOURS)
    return ScheduledLook(hours, moment + timedelta(hours=hours))


def next_look(hours: float, moment: datetime, *, changed: bool) -> ScheduledLook:
    """Return the next recrawl of a known page.

    hours: interval before this crawl.
    """
    return first_look(moment, hours * (CHANGED_FACTOR if changed else UNCHANGED_FACTOR))


# How a capture updates its page: it may be new, changed, unchanged, or older than the newest capture.


# The inputs of extraction: the body as sent, the rendered body, and the pictures, fonts and styles.
CONTENT_DIGESTS: Final = ("body_digest", "rendered_digest", "assets_digest")


def capture_id(page_id: str, capture: Capture) -> str:
    """Return the id of a capture of this page. Captures with the same body and millisecond are the same capture."""
    moment = capture.fetched_at.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{page_id}:{moment}:{capture.body_digest}"


def is_same_content(capture: Capture, other: Capture) -> bool:
    """Return whether two captures have the same content, and so the same text."""
    return all(getattr(capture, name) == getattr(other, name) for name in CONTENT_DIGESTS)


def full_answer(captures: Iterable[Capture], capture: Capture) -> Capture:
    """Return the capture with the full response: the capture itself unless it is a 304 Not Modified.

    captures: of the page, newest first. If none of them has a full response, return `capture`.
    """
    if capture.status != NOT_MODIFIED:
        return capture
    before = (
        earlier for earlier in captures if earlier.fetched_at < capture.fetched_at and is_same_content(earlier, capture)
    )
    return next((earlier for earlier in before if earlier.status != NOT_MODIFIED), capture)


def update_page(page: Page, capture: Capture, *, known: bool, site_id: str | None, now: datetime) -> Page:
    """Return the page after a further capture.

    A capture that is not newer only joins the history. Other content, or a page that was set aside, triggers
    extraction. The same content postpones the next recrawl.

    known: whether the history already contains the capture.
    """
    if capture.fetched_at <= page.capture.fetched_at:
        return page if known else replace(page, captures=page.captures + 1)
    same = is_same_content(capture, page.capture)
    read = not same or page.progress.step is Step.SET_ASIDE  # a step that failed on this body may succeed now
    hours, look_at = page.interval_hours, page.look_at
    if same:
        hours, look_at = next_look(hours, capture.fetched_at, changed=False)
    return replace(
        page,
        capture=capture,
        captures=page.captures + 1,
        site_id=page.site_id if site_id is None else site_id,
        updated_at=now,
        progress=Progress(step=Step.EXTRACT, due=now) if read else page.progress,
        interval_hours=hours,
        look_at=look_at,
    )


def is_superseded(capture: Capture, newest_at: datetime, cited: Collection[str]) -> bool:
    """Return whether a capture may be deleted: the page has a newer one, fetched at `newest_at`, and its contents are
    not cited.
    """
    return newest_at > capture.fetched_at and not any(getattr(capture, name) in cited for name in CONTENT_DIGESTS)


# The groups by which texts are counted. Their number is bounded, whatever pages declare.


TEXT_LENGTH_GROUPS: Final = (0, 100, 300, 1_000, 3_000, 10_000, 30_000)  # lower bounds of the groups, in characters
TEXT_LANGUAGES: Final = ("zh", "en", "ja", "ko")
OTHER_GROUP: Final = "other"
_CHARSET_NAME: Final = re.compile(r"(utf|gb|big5|euc|iso|shift|windows|koi8|ascii|us-ascii|hz|cp)[a-z0-9_-]{0,12}")


def length_group(characters: int) -> int:
    """Return the lower bound of the group.

    >>> [length_group(characters) for characters in (1, 100, 999, 50_000)]
    [0, 100, 300, 30000]
    """
    return TEXT_LENGTH_GROUPS[bisect_right(TEXT_LENGTH_GROUPS, characters) - 1]


def language_group(tag: str | None) -> str | None:
    """Return the language group of a BCP 47 tag.

    >>> [language_group(tag) for tag in ("zh-Hant-TW", "EN", "de", None)]
    ['zh', 'en', 'other', None]
    """
    if not tag:
        return None
    language = re.split("[-_]", tag.lower())[0]
    return language if language in TEXT_LANGUAGES else OTHER_GROUP


def charset_group(name: str | None) -> str | None:
    """Return the charset name in lower case, or `OTHER_GROUP` for a name that is no known charset."""
    if not name:
        return None
    return name.lower() if _CHARSET_NAME.fullmatch(name.lower()) else OTHER_GROUP
