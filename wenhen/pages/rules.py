"""Decide what a capture makes of its page, when it is fetched again, and how texts are grouped."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from crawler.capture import NOT_MODIFIED, Capture
from wenhen.kit.progress import Progress, Step
from wenhen.pages.model import Page

# When a page is looked at again: sooner if it changed since the last look, later if it did not.


HOURS_PER_DAY: Final = 24.0  # hours
MIN_LOOK_HOURS: Final = 1.0  # hours between two looks at one page
MAX_LOOK_HOURS: Final = 14 * HOURS_PER_DAY
CHANGED_FACTOR, UNCHANGED_FACTOR = 0.5, 1.5  # what the time between two looks is multiplied with


class ScheduledLook(NamedTuple):
    """The next look at a page."""

    interval_hours: float  # between the look before it and this one
    look_at: datetime


def first_look(moment: datetime, hours: float) -> ScheduledLook:
    """After a page was seen for the first time; hours: how often its site is looked at."""
    hours = min(max(hours, MIN_LOOK_HOURS), MAX_LOOK_HOURS)
    return ScheduledLook(hours, moment + timedelta(hours=hours))


def next_look(hours: float, moment: datetime, *, changed: bool) -> ScheduledLook:
    """After a look at a page that is known; hours: what lay between that look and the one before."""
    return first_look(moment, hours * (CHANGED_FACTOR if changed else UNCHANGED_FACTOR))


def is_look_due(page: Page, now: datetime, *, below: float | None = None) -> bool:
    """Whether a page that is there is due; with `below` only one looked at more often than every so many hours."""
    due = page.gone_at is None and page.look_at is not None and page.look_at <= now
    return due and (below is None or page.interval_hours < below)


# What a capture makes of its page: the first look at it, news, the same again, or a piece of its past.


# What a text is read from: the body as it was sent, what a browser made of it, and the pictures and fonts that show it.
CONTENT_DIGESTS: Final = ("body_digest", "rendered_digest", "assets_digest")


def capture_id(page_id: str, capture: Capture) -> str:
    """The id of a capture of this page: one of the same body at the same millisecond is the same one again."""
    moment = capture.fetched_at.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{page_id}:{moment}:{capture.body_digest}"


def is_same_content(capture: Capture, other: Capture) -> bool:
    """Whether two captures hold the same, so that the text of one is that of the other."""
    return all(getattr(capture, name) == getattr(other, name) for name in CONTENT_DIGESTS)


def full_answer(captures: Iterable[Capture], capture: Capture) -> Capture:
    """The capture whose answer held what this one holds: itself, unless its server only said that nothing changed.

    captures: of the page, the newest first. Where none of them was answered in full, the capture itself.
    """
    if capture.status != NOT_MODIFIED:
        return capture
    before = (
        earlier for earlier in captures if earlier.fetched_at < capture.fetched_at and is_same_content(earlier, capture)
    )
    return next((earlier for earlier in before if earlier.status != NOT_MODIFIED), capture)


def update_page(page: Page, capture: Capture, *, known: bool, site_id: str | None, now: datetime) -> Page:
    """What a further capture makes of a page. known: whether it stands in the page's history already.

    One older than the newest only joins the history. One with other content, or of a page that was set aside, is read;
    one with the same puts the next look off.
    """
    if capture.fetched_at <= page.capture.fetched_at:
        return page if known else replace(page, captures=page.captures + 1)
    same = is_same_content(capture, page.capture)
    read = not same or page.progress.step is Step.SET_ASIDE  # what failed with this body may go well now
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
    """Whether a capture may go: the page has a newer one, fetched at `newest_at`, and nobody cites what it holds."""
    return newest_at > capture.fetched_at and not any(getattr(capture, name) in cited for name in CONTENT_DIGESTS)


# The groups in which the texts of pages are counted: few, whatever pages say of themselves.


TEXT_LENGTH_GROUPS: Final = (0, 100, 300, 1_000, 3_000, 10_000, 30_000)  # characters; each begins a group
TEXT_LANGUAGES: Final = ("zh", "en", "ja", "ko")
OTHER_GROUP: Final = "other"
_CHARSET_NAME: Final = re.compile(r"(utf|gb|big5|euc|iso|shift|windows|koi8|ascii|us-ascii|hz|cp)[a-z0-9_-]{0,12}")


def length_group(characters: int) -> int:
    """The least of the group.

    >>> [length_group(characters) for characters in (1, 100, 999, 50_000)]
    [0, 100, 300, 30000]
    """
    return TEXT_LENGTH_GROUPS[bisect_right(TEXT_LENGTH_GROUPS, characters) - 1]


def language_group(tag: str | None) -> str | None:
    """The language of a tag of BCP 47.

    >>> [language_group(tag) for tag in ("zh-Hant-TW", "EN", "de", None)]
    ['zh', 'en', 'other', None]
    """
    if not tag:
        return None
    language = re.split("[-_]", tag.lower())[0]
    return language if language in TEXT_LANGUAGES else OTHER_GROUP


def charset_group(name: str | None) -> str | None:
    """A charset as pages are asked for by it; `OTHER_GROUP` for a name that none has."""
    if not name:
        return None
    return name.lower() if _CHARSET_NAME.fullmatch(name.lower()) else OTHER_GROUP
