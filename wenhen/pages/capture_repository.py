"""Store captures and create or update their pages in bulk."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from urllib.parse import urlsplit

from pymongo import UpdateOne

from crawler.capture import Capture
from wenhen.kit.clock import Clock
from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import Document, encode, from_document, to_milliseconds
from wenhen.kit.mongo.table import Table
from wenhen.kit.progress import Step, page_id
from wenhen.pages.rules import (
    CONTENT_DIGESTS,
    HOURS_PER_DAY,
    MAX_LOOK_HOURS,
    MIN_LOOK_HOURS,
    UNCHANGED_FACTOR,
    ScheduledLook,
    capture_id,
    first_look,
    is_superseded,
)
from wenhen.steps.claims import fresh_progress

# The recrawl schedule as a page document stores it. The rule itself is in `wenhen.pages.rules`.


MILLISECONDS_PER_HOUR = 3_600_000


def look_fields(look: ScheduledLook) -> Document:
    """Return the document fields that hold the next recrawl of a page."""
    return {"interval_hours": look.interval_hours, "look_at": to_milliseconds(look.look_at)}


def later_look_update(moment: datetime) -> Document:
    """Return aggregation expressions that schedule the recrawl of a page that was unchanged at `moment`.

    The expressions implement `next_look` with `changed=False` for an update inside the database.
    """
    hours: Document = {"$multiply": [{"$ifNull": ["$interval_hours", HOURS_PER_DAY]}, UNCHANGED_FACTOR]}
    hours = {"$min": [{"$max": [hours, MIN_LOOK_HOURS]}, MAX_LOOK_HOURS]}
    return {
        "interval_hours": hours,
        "look_at": {"$add": [to_milliseconds(moment), {"$multiply": [hours, MILLISECONDS_PER_HOUR]}]},
    }


# Captures are written in batches. The number of queries does not depend on the number of captures.


class CaptureWriter:
    """Write captures to the tables of pages and captures."""

    def __init__(self, pages: Table, captures: Table, clock: Clock) -> None:
        self._pages = pages
        self._captures = captures
        self._clock = clock

    def put(
        self, captures: Sequence[tuple[str, Capture]], site_id: str | None, interval_hours: float
    ) -> list[Document]:
        """Store captures, given with the URLs of their pages, and return the resulting pages in the same order.

        A page gets EXTRACT as its next step if it is new, has another body, or was set aside. A capture that is older
        than the newest one only joins the history. The method is idempotent: after an error, put all captures again.

        Raises `Conflict` if a page was removed meanwhile.
        """
        ids = [page_id(url) for url, _ in captures]
        known = self._remember(ids, [capture for _, capture in captures])
        present = {
            document["_id"] for document in self._pages.some({"_id": {"$in": list(set(ids))}}, fields={"_id": 1})
        }
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
        # An ordered write keeps the first of two captures of the same moment as the newest.
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
            now = {document["_id"]: document for document in self._pages.some({"_id": {"$in": wanted}})}
            for place in further:
                if ids[place] not in now:
                    raise Conflict("store.page_removed", url=captures[place][0])
                stored[place] = now[ids[place]]
        return [stored[place] for place in range(len(captures))]

    def _remember(self, ids: Sequence[str], captures: Sequence[Capture]) -> set[int]:
        """Add the captures to the history and return the positions of those that were already stored."""
        documents = [
            {"_id": capture_id(id, capture), "page_id": id, **encode(capture)}
            for id, capture in zip(ids, captures, strict=True)
        ]
        return self._captures.add_all(documents)

    def _again(self, capture: Capture, site_id: str | None, *, is_known: bool) -> list[Document]:
        """Return an update pipeline that applies a further capture to an existing page.

        The database computes the changes (the rule is `wenhen.pages.rules.update_page`). So a batch is one write, and
        concurrent writers neither wait nor lose their changes.
        """
        newest, now = encode(capture), to_milliseconds(self._clock())
        newer = {"$lt": ["$capture.fetched_at", newest["fetched_at"]]}
        other = {"$not": [{"$and": [_unchanged_field(name, newest.get(name)) for name in CONTENT_DIGESTS]}]}
        # A step that failed on this body may succeed now.
        again = {"$or": [other, {"$eq": ["$progress.step", Step.SET_ASIDE.value]}]}
        changes: Document = {
            "capture": _conditional_value(newer, newest, "$capture"),
            "updated_at": _conditional_value(newer, now, "$updated_at"),
            "progress": _conditional_value({"$and": [newer, again]}, fresh_progress(Step.EXTRACT, now), "$progress"),
            # Extraction finds out whether the text changed.
            "unread": _conditional_value({"$and": [newer, other]}, True, "$unread"),
            "captures": {"$add": ["$captures", {"$cond": [newer, 1, 0]} if is_known else 1]},
        }
        if site_id is not None:
            changes["site_id"] = _conditional_value(newer, site_id, "$site_id")
        for name, value in later_look_update(capture.fetched_at).items():
            changes[name] = {"$cond": [{"$and": [newer, {"$not": [other]}]}, value, f"${name}"]}
        return [{"$set": changes}]

    def _first(self, id: str, url: str, capture: Capture, site_id: str | None, hours: float) -> Document:
        now = to_milliseconds(self._clock())
        return {
            "_id": id,
            "url": url,
            "host": urlsplit(url).hostname or "",
            "site_id": site_id,
            "version": 0,  # the first text makes it 1
            "capture": encode(capture),
            "progress": fresh_progress(Step.EXTRACT, now),
            "first_seen": to_milliseconds(capture.fetched_at),
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
            **look_fields(first_look(capture.fetched_at, hours)),
        }


def unchanged_page_filter(document: Document) -> Document:
    """Return a filter that matches the document only while its newest capture is unchanged."""
    newest = document["capture"]
    return {
        "_id": document["_id"],
        "capture.fetched_at": newest["fetched_at"],
        "capture.body_digest": newest["body_digest"],
    }


def _conditional_value(condition: Document, value: object, otherwise: str) -> Document:
    return {"$cond": [condition, {"$literal": value}, otherwise]}


def _unchanged_field(name: str, value: object) -> Document:
    return {"$eq": [{"$ifNull": [f"$capture.{name}", None]}, value]}


# Captures of all pages: evidence is verified, and superseded captures are dropped.


FindCitedDigests = Callable[[Collection[str]], Collection[str]]  # page ids -> digests of the cited bodies
FindPages = Callable[[Collection[str]], Collection[str]]  # the ids of those of these pages that have a case


CAPTURE_BATCH_SIZE = 500


class Captures:
    """Iterate over all captures and delete superseded ones. Those from regions are in a table of their own."""

    def __init__(self, pages: Table, captures: Table, regional: Table) -> None:
        self._pages = pages
        self._captures = captures
        self._regional = regional

    def each(self) -> Iterator[Capture]:
        """Yield all captures, ordered by id, then those from regions."""
        for document in self._captures.each({}, by="_id"):
            yield from_document(Capture, document)
        for document in self._regional.each({"capture": {"$ne": None}}, by="_id"):
            yield from_document(Capture, document["capture"])

    def drop_superseded(self, before: datetime, cited: FindCitedDigests) -> Sequence[str]:
        """Drop captures fetched before `before`, unless they are the newest of their page or cited.

        Returns the sorted digests of contents that no capture refers to any more.
        """
        old = {"fetched_at": {"$lt": to_milliseconds(before)}}
        dropped: set[str] = set()
        batch: list[Document] = []
        for document in self._captures.each(old, by="_id"):
            batch.append(document)
            if len(batch) == CAPTURE_BATCH_SIZE:
                dropped |= self._drop(batch, cited)
                batch = []
        dropped |= self._drop(batch, cited)
        return sorted(dropped - self._still_had(dropped))

    def drop_superseded_regional(self, before: datetime, with_cases: FindPages) -> Sequence[str]:
        """Drop captures from regions that were asked for before `before`, if a later one of their page has an answer.

        All of a page with a case stay, because its exhibits and reports name them. Returns the sorted digests of
        contents that no capture refers to any more.
        """
        dropped: set[str] = set()
        old = self._regional.each({"asked_at": {"$lt": to_milliseconds(before)}}, by="_id")
        while batch := [*islice(old, CAPTURE_BATCH_SIZE)]:
            dropped |= self._drop_regional(batch, with_cases)
        return sorted(dropped - self._still_had(dropped))

    def _drop_regional(self, captures: Sequence[Document], with_cases: FindPages) -> set[str]:
        ids = {document["page_id"] for document in captures}
        answered = {"page_id": {"$in": list(ids)}, "capture": {"$ne": None}}
        newest = {"$group": {"_id": "$page_id", "asked_at": {"$max": "$asked_at"}}}
        latest = {group["_id"]: group["asked_at"] for group in self._regional.aggregate([{"$match": answered}, newest])}
        kept = with_cases(ids)  # checked last, because a case may have opened since the captures were read
        gone = [
            document
            for document in captures
            if document["page_id"] not in kept
            and document["asked_at"] < latest.get(document["page_id"], document["asked_at"])
        ]
        self._regional.delete({"_id": {"$in": [document["_id"] for document in gone]}})
        contents = [document["capture"] for document in gone if document.get("capture")]
        return {capture[name] for capture in contents for name in CONTENT_DIGESTS if capture.get(name)}

    def archives(self) -> set[str]:
        """Return the names of the WARC files that captures refer to."""
        places = (self._captures, "warc"), (self._regional, "capture.warc")
        groups = [
            group
            for table, place in places
            for group in table.aggregate([{"$match": {place: {"$ne": None}}}, {"$group": {"_id": f"${place}.file"}}])
        ]
        return {group["_id"] for group in groups if group["_id"]}

    def _drop(self, captures: Sequence[Document], cited: FindCitedDigests) -> set[str]:
        ids = list({document["page_id"] for document in captures})
        fields = {"capture.fetched_at": 1}
        newest = {page["_id"]: page["capture"] for page in self._pages.some({"_id": {"$in": ids}}, fields=fields)}
        old = [
            (document, from_document(Capture, document), newest.get(document["page_id"], document)["fetched_at"])
            for document in captures
        ]
        pages = {document["page_id"] for document, capture, newest_at in old if is_superseded(capture, newest_at, ())}
        kept = cited(pages)  # checked last, because a case may have opened since the captures were read
        gone = [document for document, capture, newest_at in old if is_superseded(capture, newest_at, kept)]
        self._captures.delete({"_id": {"$in": [document["_id"] for document in gone]}})
        return {document[name] for document in gone for name in CONTENT_DIGESTS if document.get(name)}

    def _still_had(self, digests: Collection[str]) -> set[str]:
        wanted = sorted(digests)
        still_used: set[str] = set()
        for begin in range(0, len(wanted), CAPTURE_BATCH_SIZE):
            batch = wanted[begin : begin + CAPTURE_BATCH_SIZE]
            for name in CONTENT_DIGESTS:
                captures = self._captures.some({name: {"$in": batch}}, fields={name: 1})
                still_used.update(capture[name] for capture in captures)
                regional = self._regional.some({f"capture.{name}": {"$in": batch}}, fields={f"capture.{name}": 1})
                still_used.update(look["capture"][name] for look in regional)
        return still_used
