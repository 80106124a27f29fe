"""List the captures of a page, and diff their texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz.distance import Indel, Levenshtein

from crawler.capture import Capture
from crawler.extraction.sandbox_calls import read_page
from wenhen.context.use_cases import Product
from wenhen.kit.errors import NotFound

if TYPE_CHECKING:  # imports pymongo
    from wenhen.kit.mongo.blobs import Blobs

CONTEXT_CHARACTERS: Final = 60  # unchanged characters shown around a change
_MAX_CHARACTER_DIFF_CELLS: Final = (
    4_000_000  # product of the lengths up to which two segments are compared by character
)


class DiffPart(NamedTuple):
    """A segment of kind ``same``, ``deleted`` or ``inserted``. `left_out` characters after it are hidden."""

    kind: str
    text: str
    left_out: int = 0


def diff_texts(before: str, after: str) -> list[DiffPart]:
    """Return the diff of two texts. Unchanged text is only shown near changes."""
    joined = list(_join_parts(_diff_lines(before, after)))
    last = len(joined) - 1
    return [
        shown
        for index, part in enumerate(joined)
        for shown in (_shorten_unchanged(part.text, index > 0, index < last) if part.kind == "same" else [part])
    ]


def _join_parts(parts: Iterable[DiffPart]) -> Iterator[DiffPart]:
    """Merge adjacent segments: between unchanged ones, first the deleted, then the inserted text."""
    for same, run in groupby(parts, key=lambda part: part.kind == "same"):
        stretch = list(run)
        for kind in ("same",) if same else ("deleted", "inserted"):
            if text := "".join(part.text for part in stretch if part.kind == kind):
                yield DiffPart(kind, text)


def _diff_lines(before: str, after: str) -> Iterator[DiffPart]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for step in Levenshtein.opcodes(old, new):
        lost, gained = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        if step.tag == "equal":
            yield DiffPart("same", gained)
        elif lost and gained and len(lost) * len(gained) <= _MAX_CHARACTER_DIFF_CELLS:
            yield from _diff_characters(lost, gained)
        else:
            yield from (part for part in (DiffPart("deleted", lost), DiffPart("inserted", gained)) if part.text)


def _diff_characters(lost: str, gained: str) -> Iterator[DiffPart]:
    kinds = {"equal": "same", "delete": "deleted", "insert": "inserted"}
    for step in Indel.opcodes(lost, gained):
        text = lost[step.src_start : step.src_end] or gained[step.dest_start : step.dest_end]
        yield DiffPart(kinds[step.tag], text)


def _shorten_unchanged(text: str, after_change: bool, before_change: bool) -> list[DiffPart]:
    head, tail = CONTEXT_CHARACTERS * after_change, CONTEXT_CHARACTERS * before_change
    if len(text) <= head + tail + CONTEXT_CHARACTERS:
        return [DiffPart("same", text)]
    return [DiffPart("same", text[:head], len(text) - head - tail), DiffPart("same", text[len(text) - tail :])]


# History of a page: its captures and the changes between them.


MAX_SHOWN_CAPTURES: Final = 20
_MAX_SEARCHED_CAPTURES: Final = 1_000  # captures to search


@dataclass(frozen=True, slots=True)
class Fetch:
    """A capture and its differences from the previous one. None if there is no previous one."""

    capture: Capture
    moment: int  # milliseconds since 1970, identifies the capture in URLs
    body_changed: bool | None
    status_changed: bool
    grown: int  # change of the body size in bytes
    shown: bool  # whether the copy was found in this capture


@dataclass(frozen=True, slots=True)
class CaptureComparison:
    """The text changes between two captures of a page."""

    before: Capture
    after: Capture
    lost: bool  # a body is no longer stored, so that no diff is possible
    parts: list[DiffPart]


def compare_captures(product: Product, page_id: str, moment: int, with_moment: int | None = None) -> CaptureComparison:
    """Compare a capture with another one, by default the previous one. Raises `NotFound`.

    moment, with_moment: milliseconds since 1970.
    """
    captures = product.store.pages.captures(page_id, limit=_MAX_SEARCHED_CAPTURES)
    places = {_fetch_milliseconds(capture): index for index, capture in enumerate(captures)}  # newest first
    position = _capture_position(places, moment)
    other = position + 1 if with_moment is None else _capture_position(places, with_moment)
    if other == len(captures):
        raise NotFound("cases.first_capture", moment=moment)
    after, before = captures[min(position, other)], captures[max(position, other)]
    old, new = (_capture_text(product.store.blobs, capture) for capture in (before, after))
    if old is None or new is None:
        return CaptureComparison(before, after, True, [])
    return CaptureComparison(before, after, False, diff_texts(old, new))


def _capture_position(places: Mapping[int, int], moment: int) -> int:
    if moment not in places:
        raise NotFound("cases.no_capture", moment=moment)
    return places[moment]


def list_fetches(
    product: Product, page_id: str, found_in: Capture | None = None, limit: int = MAX_SHOWN_CAPTURES
) -> list[Fetch]:
    """Return the newest captures of a page, each with its differences from the previous one.

    found_in: the capture in which a copy was found.
    """
    captures = product.store.pages.captures(page_id, limit=limit + 1)
    befores: list[Capture | None] = [*captures[1:], None][: len(captures)]
    rows = [
        Fetch(
            capture,
            _fetch_milliseconds(capture),
            None if before is None else before.body_digest != capture.body_digest,
            before is not None and before.status != capture.status,
            0 if before is None else capture.body_size - before.body_size,
            found_in is not None
            and (capture.fetched_at, capture.body_digest) == (found_in.fetched_at, found_in.body_digest),
        )
        for capture, before in zip(captures, befores, strict=True)
    ]
    return rows[:limit]


def _fetch_milliseconds(capture: Capture) -> int:
    return round((capture.fetched_at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


def _capture_text(blobs: "Blobs", capture: Capture) -> str | None:
    """Return the main text of a capture, or None if its body is no longer stored."""
    try:
        body = blobs.get(capture.read_digest)
    except NotFound:
        return None
    return read_page(body, capture.read_headers, capture.url).text
