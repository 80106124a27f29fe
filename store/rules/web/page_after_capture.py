"""What a capture makes of its page: the first look at it, news, the same again, or a piece of its past."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from store.records import Capture, Page, Progress, Step
from store.rules.web.when_to_look_again import next_look

# What a text is read from: the body as it was sent, what a browser made of it, and the pictures and fonts that show it.
CONTENT: Final = ("body_digest", "rendered_digest", "assets_digest")
NOT_MODIFIED: Final = 304


def capture_id(page_id: str, capture: Capture) -> str:
    """The id of a capture of this page: one of the same body at the same millisecond is the same one again."""
    moment = capture.fetched_at.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{page_id}:{moment}:{capture.body_digest}"


def same_content(one: Capture, other: Capture) -> bool:
    """Whether two captures hold the same, so that the text of one is that of the other."""
    return all(getattr(one, name) == getattr(other, name) for name in CONTENT)


def in_full(captures: Iterable[Capture], capture: Capture) -> Capture:
    """The capture whose answer held what this one holds: itself, unless its server only said that nothing changed.

    captures: of the page, the newest first. Where none of them was answered in full, the capture itself.
    """
    if capture.status != NOT_MODIFIED:
        return capture
    before = (one for one in captures if one.fetched_at < capture.fetched_at and same_content(one, capture))
    return next((one for one in before if one.status != NOT_MODIFIED), capture)


def seen_again(page: Page, capture: Capture, *, known: bool, site_id: str | None, now: datetime) -> Page:
    """What a further capture makes of a page. known: whether it stands in the page's history already.

    One older than the newest only joins the history. One with other content, or of a page that was set aside, is read;
    one with the same puts the next look off.
    """
    if capture.fetched_at <= page.capture.fetched_at:
        return page if known else replace(page, captures=page.captures + 1)
    same = same_content(capture, page.capture)
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
    return newest_at > capture.fetched_at and not any(getattr(capture, name) in cited for name in CONTENT)
