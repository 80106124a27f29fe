"""The pages, their captures over time, and what the ranking found for each."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from pymongo.database import Database

from store.errors import Conflict
from store.identity import page_id
from store.mongo.clock import Clock
from store.mongo.codec import Document, encode, from_document, milliseconds, storable
from store.mongo.looks import first_look, next_look
from store.mongo.schema import schema_of
from store.mongo.steps import STEP_INDEX, MongoSteps, fresh_progress
from store.mongo.table import Declared, Table, index
from store.ports import Claim
from store.records import Candidate, Capture, Page, Part, Step

PAGES = Declared(
    name="pages",
    # `finished_version` is the version that last went the whole way to DONE; `unread` says that the newest capture may
    # hold another text than the one before.
    schema=schema_of(
        Page,
        finished_version={"bsonType": ["int", "long", "null"]},
        candidates={"bsonType": "array"},
        unread={"bsonType": "bool"},
    ),
    indexes=(
        STEP_INDEX,
        index("-updated_at", "_id"),
        index("note", "capture.fetched_at"),
        index("site_id", "look_at"),
        index("capture.body_digest", "first_seen"),
        index("host", "_id"),
    ),
)
CAPTURES = Declared(
    name="captures",
    schema=schema_of(Capture, _id={"bsonType": "string"}, page_id={"bsonType": "string"}),
    indexes=(index("page_id", "-fetched_at"), index("body_digest")),
)
ATTEMPTS = 20  # of an optimistic write; each failure means that another capture of the same page got through


class MongoPages(MongoSteps[Page]):
    """Pages by `store.identity.page_id` of their address."""

    def __init__(self, database: Database[Document], address: str, clock: Clock) -> None:
        super().__init__(Table(database, PAGES, address), Page, clock)
        self.captures_table = Table(database, CAPTURES, address)

    def put_capture(self, url: str, capture: Capture, *, site_id: str | None, interval_hours: float = 24.0) -> Page:
        """Store a capture; a page that is new, has another body, or was set aside, gets EXTRACT as its next step.

        A capture older than the newest one only joins the history. The same one again changes nothing.
        """
        id = page_id(url)
        is_new_capture = self._remember(id, capture)
        for _ in range(ATTEMPTS):
            found = self.table.one({"_id": id})
            if found is None:
                stored = self._first(id, url, capture, site_id, interval_hours)
            elif found["capture"]["fetched_at"] >= milliseconds(capture.fetched_at):
                stored = self._count_late(found) if is_new_capture else found
            else:
                stored = self._newest(found, capture, site_id)
            if stored is not None:
                return self._record(stored)
        raise Conflict(f"The page {url} was changed by others {ATTEMPTS} times while it was stored; try again.")

    def set_text(
        self,
        claim: Claim[Page],
        *,
        text_digest: str | None,
        length: int,
        title: str | None,
        author: str | None,
        published_at: datetime | None,
        charset: str | None,
        note: str | None,
        next_step: Step,
    ) -> Page | None:
        now = self._clock()
        page = claim.record
        changes: dict[str, Any] = {
            "text_digest": text_digest,
            "length": length,
            "title": title,
            "author": author,
            "published_at": encode(published_at),
            "charset": charset,
            "note": note,
            "updated_at": milliseconds(now),
        }
        which: Document = {"_id": claim.id, "progress.token": claim.token}
        if text_digest != page.text_digest:
            changes |= {"version": page.version + 1, "candidates": [], "progress": fresh_progress(next_step, now)}
            if next_step is Step.DONE:
                changes["finished_version"] = page.version + 1
            found = self.table.changed(which, {"$set": changes})
        else:
            found = self._same_text(which, changes, page.version, next_step)
        if found is None:
            return None
        if found.get("unread"):
            found = self._look_again(found, page) or found
        return self._record(found)

    def set_part(self, claim: Claim[Page], part: Part | None) -> bool:
        return self.table.update({"_id": claim.id, "progress.token": claim.token}, {"$set": {"part": encode(part)}})

    def set_candidates(self, claim: Claim[Page], candidates: Sequence[Candidate], to: Step) -> bool:
        return self._move_on(claim, to, {"candidates": encode(candidates)})

    def advance(self, claim: Claim[Page], to: Step) -> bool:
        return self._move_on(claim, to, {})

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Restart as any record; a page whose step is not among `only_from` goes its whole way at least once more.

        For such a page may wait for its newest capture to be read, and would be DONE if that held the same text.
        """
        wanted = [one.value for one in (Step if only_from is None else only_from)]
        fresh = {"$literal": fresh_progress(step, self._clock())}
        progress = {"$cond": [{"$in": ["$progress.step", wanted]}, fresh, "$progress"]}
        was = self.table.changed({"_id": id}, [{"$set": {"finished_version": None, "progress": progress}}], before=True)
        return was is not None and was["progress"]["step"] in wanted

    def candidates(self, id: str) -> list[Candidate]:
        found = self.table.one({"_id": id}, fields={"candidates": 1})
        return [from_document(Candidate, one) for one in (found or {}).get("candidates", [])]

    def captures(self, id: str, *, limit: int = 0) -> list[Capture]:
        """Return the captures of the page, the newest first."""
        found = self.captures_table.some({"page_id": id}, sort=[("fetched_at", -1)], limit=limit)
        return [from_document(Capture, one) for one in found]

    def find(self, *, skip: int = 0, limit: int = 50) -> list[Page]:
        """Return pages, the last changed first."""
        newest = [("updated_at", -1), ("_id", 1)]
        return [self._record(one) for one in self.table.some({}, sort=newest, skip=skip, limit=limit)]

    def unseen_since(self, moment: datetime, limit: int) -> list[str]:
        """Return the ids of pages without a note whose newest capture is older, the longest unseen first."""
        unseen = {"note": None, "capture.fetched_at": {"$lt": moment}}
        oldest = [("capture.fetched_at", 1)]
        return [one["_id"] for one in self.table.some(unseen, sort=oldest, limit=limit, fields={"_id": 1})]

    def due_looks(self, site_id: str, now: datetime, limit: int, *, below: float | None = None) -> list[str]:
        due: Document = {"site_id": site_id, "gone_at": None, "look_at": {"$lte": milliseconds(now)}}
        if below is not None:
            due["interval_hours"] = {"$lt": below}
        found = self.table.some(due, sort=[("look_at", 1)], limit=limit, fields={"url": 1})
        return [one["url"] for one in found]

    def same_body(self, digest: str, limit: int) -> list[Page]:
        found = self.table.some({"capture.body_digest": digest}, sort=[("first_seen", 1)], limit=limit)
        return [self._record(one) for one in found]

    def of_host(self, host: str, limit: int) -> list[Page]:
        return [self._record(one) for one in self.table.some({"host": host}, sort=[("_id", 1)], limit=limit)]

    def mark_gone(self, id: str, at: datetime, reason: str) -> bool:
        gone = {"gone_at": milliseconds(at), "gone_reason": storable(reason), "updated_at": milliseconds(at)}
        return self.table.update({"_id": id, "gone_at": None}, {"$set": gone})

    def mark_back(self, id: str) -> bool:
        back = {"gone_at": None, "gone_reason": None}
        return self.table.update({"_id": id, "gone_at": {"$ne": None}}, {"$set": back})

    def set_note(self, id: str, note: str | None) -> None:
        self.table.update({"_id": id}, {"$set": {"note": note}})

    def ids(self) -> Iterator[str]:
        """Yield the ids of the pages, in order."""
        for one in self.table.each({}, by="_id", fields={"_id": 1}):
            yield one["_id"]

    def count(self) -> int:
        return self.table.estimate()

    def _remember(self, id: str, capture: Capture) -> bool:
        """Add the capture to the history; False when it is there already."""
        time = milliseconds(capture.fetched_at).isoformat(timespec="milliseconds")
        try:
            self.captures_table.insert({"_id": f"{id}:{time}:{capture.body_digest}", "page_id": id, **encode(capture)})
        except Conflict:
            return False
        return True

    def _first(self, id: str, url: str, capture: Capture, site_id: str | None, hours: float) -> Document | None:
        now = milliseconds(self._clock())
        page: Document = {
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
        try:
            self.table.insert(page)
        except Conflict:
            return None
        return page

    def _newest(self, found: Document, capture: Capture, site_id: str | None) -> Document | None:
        now = milliseconds(self._clock())
        changes: Document = {"capture": encode(capture), "updated_at": now}
        if site_id is not None:
            changes["site_id"] = site_id
        which = _as_read(found)
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
        return self.table.changed(which, {"$set": changes, "$inc": {"captures": 1}})

    def _look_again(self, found: Document, before: Page) -> Document | None:
        """Set the time of the next look, by whether the text of this capture is another than before."""
        look: Document = {"unread": False}
        if before.captures > 1:
            changed = found["text_digest"] != before.text_digest
            look |= next_look(found, found["capture"]["fetched_at"], changed=changed)
        return self.table.changed(_as_read(found), {"$set": look})

    def _count_late(self, found: Document) -> Document | None:
        return self.table.changed({"_id": found["_id"]}, {"$inc": {"captures": 1}})

    def _same_text(self, which: Document, changes: Document, version: int, next_step: Step) -> Document | None:
        now = self._clock()
        done = {**changes, "progress": fresh_progress(Step.DONE, now)}
        found = self.table.changed({**which, "finished_version": version}, {"$set": done})
        if found is not None:
            return found
        on = {**changes, "progress": fresh_progress(next_step, now)}
        if next_step is Step.DONE:
            on["finished_version"] = version
        return self.table.changed(which, {"$set": on})

    def _move_on(self, claim: Claim[Page], to: Step, changes: Document) -> bool:
        changes = {**changes, "progress": fresh_progress(to, self._clock())}
        if to is Step.DONE:
            changes["finished_version"] = claim.record.version
        return self.table.update({"_id": claim.id, "progress.token": claim.token}, {"$set": changes})


def _content(capture: Document) -> tuple[str, str | None]:
    """What a text is read from: the body as it was sent, and what a browser made of it."""
    return capture["body_digest"], capture.get("rendered_digest")


def _as_read(found: Document) -> Document:
    """Return the filter that fits the document only while its newest capture is the one that was read."""
    newest = found["capture"]
    return {
        "_id": found["_id"],
        "capture.fetched_at": newest["fetched_at"],
        "capture.body_digest": newest["body_digest"],
    }
