"""How captures become pages: many at a time, in a few questions and writes however many there are."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from pymongo import UpdateOne

from store.errors import Conflict
from store.mongo.engine.codec import Document, encode, milliseconds
from store.mongo.engine.table import Table
from store.mongo.engine.utc_now import Clock
from store.mongo.upkeep.step_claims import fresh_progress
from store.mongo.web.next_looks import kept, later_look
from store.records import Capture, Step
from store.rules.record_ids import page_id
from store.rules.web.page_after_capture import CONTENT, capture_id
from store.rules.web.when_to_look_again import first_look


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
        present = {one["_id"] for one in self._pages.some({"_id": {"$in": list(set(ids))}}, fields={"_id": 1})}
        new = {
            place: self._first(ids[place], url, capture, site_id, interval_hours)
            for place, (url, capture) in enumerate(captures)
            if ids[place] not in present
        }
        taken = self._pages.add_all(list(new.values()))
        stored = {place: page for number, (place, page) in enumerate(new.items()) if number not in taken}
        further = {
            place: UpdateOne({"_id": ids[place]}, self._again(capture, site_id, is_known=place in known))
            for place, (_, capture) in enumerate(captures)
            if place not in stored
        }
        # Of two captures of the same moment the first stays the newest.
        self._pages.write_all(list(further.values()), ordered=True)
        return self._as_they_are(captures, ids, stored, list(further))

    def _as_they_are(
        self,
        captures: Sequence[tuple[str, Capture]],
        ids: Sequence[str],
        stored: dict[int, Document],
        further: Sequence[int],
    ) -> list[Document]:
        if further:
            wanted = list({ids[place] for place in further})
            now = {one["_id"]: one for one in self._pages.some({"_id": {"$in": wanted}})}
            for place in further:
                if ids[place] not in now:
                    raise Conflict("store.page_removed", url=captures[place][0])
                stored[place] = now[ids[place]]
        return [stored[place] for place in range(len(captures))]

    def _remember(self, ids: Sequence[str], captures: Sequence[Capture]) -> set[int]:
        """Add the captures to the history; the places of those that are there already."""
        documents = [
            {"_id": capture_id(id, capture), "page_id": id, **encode(capture)}
            for id, capture in zip(ids, captures, strict=True)
        ]
        return self._captures.add_all(documents)

    def _again(self, capture: Capture, site_id: str | None, *, is_known: bool) -> list[Document]:
        """What a further capture makes of the page that there is, computed where it lies (the rule is
        `store.rules.web.page_after_capture.seen_again`): so many are one write, and whoever else writes to it meanwhile
        is neither waited for nor overwritten.
        """
        newest, now = encode(capture), milliseconds(self._clock())
        newer = {"$lt": ["$capture.fetched_at", newest["fetched_at"]]}
        other = {"$not": [{"$and": [_same(name, newest.get(name)) for name in CONTENT]}]}
        # What failed with this body may go well now.
        again = {"$or": [other, {"$eq": ["$progress.step", Step.SET_ASIDE.value]}]}
        changes: Document = {
            "capture": _where(newer, newest, "$capture"),
            "updated_at": _where(newer, now, "$updated_at"),
            "progress": _where({"$and": [newer, again]}, fresh_progress(Step.EXTRACT, now), "$progress"),
            # Whether its text changed shows when it is read.
            "unread": _where({"$and": [newer, other]}, True, "$unread"),
            "captures": {"$add": ["$captures", {"$cond": [newer, 1, 0]} if is_known else 1]},
        }
        if site_id is not None:
            changes["site_id"] = _where(newer, site_id, "$site_id")
        for name, value in later_look(capture.fetched_at).items():
            changes[name] = {"$cond": [{"$and": [newer, {"$not": [other]}]}, value, f"${name}"]}
        return [{"$set": changes}]

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
            **kept(first_look(capture.fetched_at, hours)),
        }


def as_read(found: Document) -> Document:
    """Return the filter that fits the document only while its newest capture is the one that was read."""
    newest = found["capture"]
    return {
        "_id": found["_id"],
        "capture.fetched_at": newest["fetched_at"],
        "capture.body_digest": newest["body_digest"],
    }


def _where(condition: Document, value: object, otherwise: str) -> Document:
    return {"$cond": [condition, {"$literal": value}, otherwise]}


def _same(name: str, value: object) -> Document:
    return {"$eq": [{"$ifNull": [f"$capture.{name}", None]}, value]}
