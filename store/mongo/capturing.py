"""How captures become pages: many at a time, in four questions and writes where all of them are new."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from store.errors import Conflict
from store.identity import page_id
from store.mongo.clock import Clock
from store.mongo.codec import Document, encode, milliseconds
from store.mongo.looks import first_look, next_look
from store.mongo.steps import fresh_progress
from store.mongo.table import Table
from store.records import Capture, Step

ATTEMPTS = 20  # of an optimistic write; each failure means that another capture of the same page got through


class Capturing:
    """Writes to the tables of the pages and of their captures."""

    def __init__(self, pages: Table, captures: Table, clock: Clock) -> None:
        self._pages = pages
        self._captures = captures
        self._clock = clock

    def put(
        self, captures: Sequence[tuple[str, Capture]], site_id: str | None, interval_hours: float
    ) -> list[Document]:
        """Store captures by the addresses of their pages; the pages as they are then, in the same order.

        A page that is new, has another body, or was set aside, gets EXTRACT as its next step. A capture older than the
        newest one only joins the history. The same one again changes nothing, so that all may be put again after an
        error.
        """
        ids = [page_id(url) for url, _ in captures]
        known = self._remember(ids, [capture for _, capture in captures])
        found = {one["_id"]: one for one in self._pages.some({"_id": {"$in": list(set(ids))}})}
        new = {
            place: self._first(ids[place], url, capture, site_id, interval_hours)
            for place, (url, capture) in enumerate(captures)
            if ids[place] not in found
        }
        taken = self._pages.add_all(list(new.values()))
        stored = {place: page for number, (place, page) in enumerate(new.items()) if number not in taken}
        return [
            stored[place]
            if place in stored
            else self._again(ids[place], url, capture, site_id, found.get(ids[place]), is_known=place in known)
            for place, (url, capture) in enumerate(captures)
        ]

    def _remember(self, ids: Sequence[str], captures: Sequence[Capture]) -> set[int]:
        """Add the captures to the history; the places of those that are there already."""
        documents = []
        for id, capture in zip(ids, captures, strict=True):
            time = milliseconds(capture.fetched_at).isoformat(timespec="milliseconds")
            documents.append({"_id": f"{id}:{time}:{capture.body_digest}", "page_id": id, **encode(capture)})
        return self._captures.add_all(documents)

    def _again(
        self, id: str, url: str, capture: Capture, site_id: str | None, found: Document | None, *, is_known: bool
    ) -> Document:
        """Store the capture of a page that there is, which was found so a moment ago."""
        for _ in range(ATTEMPTS):
            page = found or self._pages.one({"_id": id})
            found = None
            if page is None:
                raise Conflict(f"The page {url} was removed while it was stored; try again.")
            if page["capture"]["fetched_at"] < milliseconds(capture.fetched_at):
                stored = self._newest(page, capture, site_id)
            else:
                stored = page if is_known else self._pages.changed({"_id": id}, {"$inc": {"captures": 1}})
            if stored is not None:
                return stored
        raise Conflict(f"The page {url} was changed by others {ATTEMPTS} times while it was stored; try again.")

    def _first(self, id: str, url: str, capture: Capture, site_id: str | None, hours: float) -> Document:
        now = milliseconds(self._clock())
        return {
            "_id": id,
            "url": url,
            "host": urlsplit(url).hostname or "",
            "site_id": site_id,
            "version": 0,  # the first text makes it 1
            "capture": encode(capture),
            "progress": fresh_progress(Step.EXTRACT, now),
            "first_seen": milliseconds(capture.fetched_at),
            "updated_at": now,
            "title": None,
            "author": None,
            "published_at": None,
            "charset": None,
            "text_digest": None,
            "length": 0,
            "note": None,
            "captures": 1,
            "candidates": [],
            "finished_version": None,
            "unread": True,
            **first_look(capture.fetched_at, hours),
        }

    def _newest(self, found: Document, capture: Capture, site_id: str | None) -> Document | None:
        now = milliseconds(self._clock())
        changes: Document = {"capture": encode(capture), "updated_at": now}
        if site_id is not None:
            changes["site_id"] = site_id
        which = as_read(found)
        changed = _content(found["capture"]) != _content(encode(capture))
        if changed:
            changes["progress"] = fresh_progress(Step.EXTRACT, now)
            changes["unread"] = True  # whether its text changed shows when it is read
        else:
            changes |= next_look(found, capture.fetched_at, changed=False)
        if not changed and found["progress"]["step"] == Step.SET_ASIDE.value:
            # What failed with this body may go well now; the filter sees to it that nobody restarted it meanwhile.
            which["progress.step"] = Step.SET_ASIDE.value
            changes["progress"] = fresh_progress(Step.EXTRACT, now)
        return self._pages.changed(which, {"$set": changes, "$inc": {"captures": 1}})


def as_read(found: Document) -> Document:
    """Return the filter that fits the document only while its newest capture is the one that was read."""
    newest = found["capture"]
    return {
        "_id": found["_id"],
        "capture.fetched_at": newest["fetched_at"],
        "capture.body_digest": newest["body_digest"],
    }


def _content(capture: Document) -> tuple[str, str | None]:
    """What a text is read from: the body as it was sent, and what a browser made of it."""
    return capture["body_digest"], capture.get("rendered_digest")
