"""The history of a page: its captures, and what changed from one to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from crawler.extract.read_page import read_page
from services.cases.text_diff import DiffPart, differences
from services.context import Product
from store.errors import NotFound
from store.ports import Blobs
from store.records import Capture

SHOWN: Final = 20
_SOUGHT: Final = 1_000  # captures among which one is looked for


@dataclass(frozen=True, slots=True)
class Fetch:
    """A capture, and what differs from the one before it; None where none came before."""

    capture: Capture
    moment: int  # milliseconds since 1970, by which its address names it
    body_changed: bool | None
    status_changed: bool
    grown: int  # bytes
    shown: bool  # the copy was found in this one


@dataclass(frozen=True, slots=True)
class CaptureComparison:
    """What changed in a page's text from one capture to another."""

    before: Capture
    after: Capture
    lost: bool  # the body of one of them is gone, so that nothing can be compared
    parts: list[DiffPart]


def compared(product: Product, page_id: str, moment: int, with_moment: int | None = None) -> CaptureComparison:
    """A capture beside an older or newer one, by default the one before it. NotFound."""
    captures = product.store.pages.captures(page_id, limit=_SOUGHT)
    places = {_moment(one): at for at, one in enumerate(captures)}  # the newest first
    one = _place(places, moment)
    other = one + 1 if with_moment is None else _place(places, with_moment)
    if other == len(captures):
        raise NotFound("cases.first_capture", moment=moment)
    after, before = captures[min(one, other)], captures[max(one, other)]
    old, new = (_text(product.store.blobs, one) for one in (before, after))
    if old is None or new is None:
        return CaptureComparison(before, after, True, [])
    return CaptureComparison(before, after, False, differences(old, new))


def _place(places: Mapping[int, int], moment: int) -> int:
    if moment not in places:
        raise NotFound("cases.no_capture", moment=moment)
    return places[moment]


def fetches(product: Product, page_id: str, found_in: Capture | None = None, limit: int = SHOWN) -> list[Fetch]:
    """The newest captures of a page, each beside the one before it. found_in: the one in which a copy was found."""
    captures = product.store.pages.captures(page_id, limit=limit + 1)
    befores: list[Capture | None] = [*captures[1:], None][: len(captures)]
    rows = [
        Fetch(
            one,
            _moment(one),
            None if before is None else before.body_digest != one.body_digest,
            before is not None and before.status != one.status,
            0 if before is None else one.body_size - before.body_size,
            found_in is not None and (one.fetched_at, one.body_digest) == (found_in.fetched_at, found_in.body_digest),
        )
        for one, before in zip(captures, befores, strict=True)
    ]
    return rows[:limit]


def _moment(capture: Capture) -> int:
    return round((capture.fetched_at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


def _text(blobs: Blobs, capture: Capture) -> str | None:
    """The main text of a capture; None when the store has lost its body."""
    try:
        body = blobs.get(capture.read_digest)
    except NotFound:
        return None
    return read_page(body, capture.read_headers, capture.url).text
