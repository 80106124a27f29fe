"""Store pages and their candidates, and search pages."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

from pymongo import UpdateOne

from crawler.capture import Capture
from matcher.model import Candidate
from wenhen.context.store_and_queue import RoughCount
from wenhen.kit.clock import Clock
from wenhen.kit.errors import Message
from wenhen.kit.mongo.blobs import Blobs
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, Sort, Table, TableSpec, field_index
from wenhen.kit.progress import Step
from wenhen.pages.capture_repository import CaptureWriter, look_fields, unchanged_page_filter
from wenhen.pages.model import NO_TEXT_NOTE, Page, PageFilter, PageText, Part
from wenhen.pages.rules import next_look
from wenhen.steps.claims import STEP_INDEX, Claim, Steps, advance_claim, claim_filter, fresh_progress, next_progress

# `first_seen` never changes. A page on its way through the steps changes these indexes only by its title, charset and
# HTTP status.
SEARCH_INDEXES: Final = (
    field_index("-first_seen", "_id"),
    field_index("host", "-first_seen", "_id"),
    field_index("charset", "-first_seen", "_id"),
    field_index("capture.status", "-first_seen", "_id"),
    field_index("title", "_id"),
)


def page_query(wanted: PageFilter) -> Document:
    """Return the MongoDB filter for the conditions."""
    seen = {"$gte": wanted.since, "$lt": wanted.until}
    first_seen = {how: to_milliseconds(moment) for how, moment in seen.items() if moment is not None}
    conditions: Document = {
        "host": wanted.host,
        "charset": wanted.charset,
        "capture.status": wanted.status,
        "title": None if wanted.title is None else {"$regex": _title_pattern(wanted.title)},
        "first_seen": first_seen or None,
    }
    return {field: value for field, value in conditions.items() if value is not None}


def _title_pattern(title: str) -> str:
    return "^" + re.escape(title).replace("\0", "x00")  # a pattern must not contain the NUL character itself


def page_order(wanted: PageFilter) -> Sort:
    """Return the sort order that an index supports. A search by title is not sorted by time."""
    return [("first_seen", -1), ("_id", 1)] if wanted.title is None else [("title", 1), ("_id", 1)]


PAGES = TableSpec(
    name="pages",
    # `finished_version` is the last version that reached DONE. `unread` means that the newest capture may contain
    # another text than the one before.
    schema=schema_of(
        Page,
        finished_version={"bsonType": ["int", "long", "null"]},
        candidates={"bsonType": "array"},
        unread={"bsonType": "bool"},
    ),
    indexes=(
        STEP_INDEX,
        field_index("-updated_at", "_id"),
        field_index("note", "capture.fetched_at"),
        field_index("site_id", "look_at"),
        field_index("capture.body_digest", "first_seen"),
        field_index("host", "_id"),
        *SEARCH_INDEXES,
    ),
)
CAPTURES = TableSpec(
    name="captures",
    schema=schema_of(Capture, _id={"bsonType": "string"}, page_id={"bsonType": "string"}),
    indexes=(field_index("page_id", "-fetched_at"), field_index("body_digest")),
)
MAX_EXACT_COUNT = 100_000  # largest number of pages that is counted exactly, in about 20 ms


class Pages(Steps[Page]):
    """Store pages by the `wenhen.kit.progress.page_id` of their URL."""

    declared = PAGES
    record_type = Page
    unknown_code = "store.no_page"
    _NO_PART: ClassVar[Document | None] = {"candidates": 0}

    def __init__(self, database: OpenDatabase, clock: Clock) -> None:
        super().__init__(database, clock)
        self.captures_table = Table(database, CAPTURES)
        self._capturing = CaptureWriter(self.table, self.captures_table, clock)

    def put_capture(self, url: str, capture: Capture, *, site_id: str | None, interval_hours: float = 24.0) -> Page:
        """Store a capture. A page that is new or whose body changed gets EXTRACT as its next step.

        The first recrawl is due after `interval_hours`. The interval grows while the text is unchanged and shrinks when
        it changes. The call is idempotent.
        """
        return self.put_captures([(url, capture)], site_id=site_id, interval_hours=interval_hours)[0]

    def put_captures(
        self, captures: Sequence[tuple[str, Capture]], *, site_id: str | None, interval_hours: float = 24.0
    ) -> list[Page]:
        """Store many captures, given with their URLs, and return the resulting pages in the same order.

        After an error some captures may be stored. Put all of them again.
        """
        return [self._record(page) for page in self._capturing.put(captures, site_id, interval_hours)]

    def count_old(self, after: str, limit: int, blobs: Blobs) -> str | None:
        """Count the characters of pages of earlier versions, from this id on.

        Return the last id that was examined, or None at the end. A page whose text is lost stays uncounted.
        """
        from matcher.alignment.aligned_span import count_characters  # numpy, which most commands do not need

        fields = {"text_digest": 1, "characters": 1}
        documents = self.table.some({"_id": {"$gt": after}}, sort=[("_id", 1)], limit=limit, fields=fields)
        old = [document for document in documents if document.get("characters") is None and document["text_digest"]]
        texts = blobs.texts_there({document["text_digest"] for document in old})
        self.table.write_all(
            [
                UpdateOne(
                    {"_id": document["_id"], "text_digest": document["text_digest"]},
                    {"$set": {"characters": count_characters(texts[document["text_digest"]])}},
                )
                for document in old
                if document["text_digest"] in texts
            ]
        )
        return documents[-1]["_id"] if documents else None

    def set_texts(
        self, read: Sequence[tuple[Claim[Page], PageText]], next_step: Step, lease: timedelta | None
    ) -> list[Claim[Page]]:
        """Store extracted texts and advance the pages. Returns the claims of the advanced pages.

        The version of a page grows when its text changed. A page whose text is unchanged and was looked up before goes
        to DONE.

        lease: as in `go_on`.
        """
        now = self._clock()
        first = [(claim, text) for claim, text in read if _is_first_text(claim.record, text)]
        writes = [
            # The claim holds, so no other body arrived: the text belongs to the newest capture.
            UpdateOne(
                claim_filter(claim),
                {"$set": {**_new_text_fields(claim, text, next_step, now, lease), "unread": False}},
            )
            for claim, text in first
        ]
        claims = [
            advance_claim(
                claim, next_step, now, lease, version=claim.record.version + 1, updated_at=now, **_text_values(text)
            )
            for claim, text in first
        ]
        if self.table.write_all(writes) < len(writes):
            claims = self.still_held(claims, next_step)
        others = [(claim, text) for claim, text in read if not _is_first_text(claim.record, text)]
        return claims + [moved for claim, text in others if (moved := self._next_text(claim, text, next_step, lease))]

    def _next_text(
        self, claim: Claim[Page], text: PageText, next_step: Step, lease: timedelta | None
    ) -> Claim[Page] | None:
        page, now = claim.record, self._clock()
        if text.text_digest != page.text_digest:
            document = self.table.find_and_change(
                claim_filter(claim), {"$set": _new_text_fields(claim, text, next_step, now, lease)}
            )
        else:
            changes = {**encode(text), "updated_at": to_milliseconds(now)}
            document = self._same_text(claim, changes, next_step, lease)
        if document is None:
            return None
        if document.get("unread"):
            document = self._look_again(document, page) or document
        kept = self._record(document)
        return Claim(id=claim.id, step=kept.progress.step, token=claim.token, record=kept)

    def set_part(self, claim: Claim[Page], part: Part | None) -> bool:
        """Store which part of a multi-page text the page is. Returns False if the claim no longer holds."""
        return self.table.update(claim_filter(claim), {"$set": {"part": encode(part)}})

    def set_all_candidates(
        self, candidates: Sequence[tuple[Claim[Page], Sequence[Candidate]]], to: Step, lease: timedelta | None
    ) -> list[Claim[Page]]:
        """Store the retrieved candidates and advance the pages as `go_on` does."""
        now = self._clock()
        writes = [
            UpdateOne(
                claim_filter(claim),
                {"$set": {"candidates": encode(candidates), "progress": next_progress(claim, to, now, lease)}},
            )
            for claim, candidates in candidates
        ]
        claims = [advance_claim(claim, to, now, lease) for claim, _ in candidates]
        return claims if self.table.write_all(writes) == len(writes) else self.still_held(claims, to)

    def advance(self, claim: Claim[Page], to: Step) -> bool:
        changes: Document = {"progress": fresh_progress(to, self._clock())}
        if to is Step.DONE:
            changes["finished_version"] = claim.record.version
        return self.table.update(claim_filter(claim), {"$set": changes})

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Restart a page like any record. A page at a step outside `only_from` goes through all steps at least once
        more.

        Such a page may wait for the extraction of its newest capture. It would go to DONE if the text were unchanged.
        """
        wanted = list(Step) if only_from is None else only_from
        was = self.table.find_and_change({"_id": id}, _restart_update(step, wanted, self._clock()), before=True)
        return was is not None and was["progress"]["step"] in wanted

    def restart_all(self, ids: Collection[str], step: Step, *, only_from: Collection[Step], due: datetime) -> None:
        """Restart many pages as `restart` does, with the given due time."""
        self.table.update_all({"_id": {"$in": list(ids)}}, _restart_update(step, only_from, due))

    def restart_now(self, ids: Collection[str], step: Step, *, only_from: Collection[Step]) -> list[str]:
        """Restart many pages as `restart` does. Pages that wait for the step, due and not tried yet, stay as they are.

        Returns the ids of those that were restarted.
        """
        now = self._clock()
        waiting = {
            "progress.step": step.value,
            "progress.token": None,
            "progress.tries": 0,
            "progress.due": {"$lte": now},
            "finished_version": None,
        }
        others = {"_id": {"$in": list(ids)}, "$nor": [waiting]}
        at_these = {**others, "progress.step": {"$in": encode(only_from)}}
        again = [document["_id"] for document in self.table.some(at_these, fields={"_id": 1})]
        self.table.update_all(others, _restart_update(step, only_from, now))
        return again

    def candidates(self, id: str) -> list[Candidate]:
        return self.all_candidates([id]).get(id, [])

    def all_candidates(self, ids: Collection[str]) -> dict[str, list[Candidate]]:
        """Return the candidates of many pages by page id."""
        documents = self.table.some({"_id": {"$in": list(ids)}}, fields={"candidates": 1})
        return {
            page["_id"]: [from_document(Candidate, candidate) for candidate in page.get("candidates", [])]
            for page in documents
        }

    def gone_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the pages that are gone according to their servers."""
        gone = self.table.some({"_id": {"$in": list(ids)}, "gone_at": {"$ne": None}}, fields={"_id": 1})
        return {document["_id"] for document in gone}

    def sites(self, ids: Collection[str]) -> dict[str, str]:
        """Return the site id of each stored page by page id, or its host if no watched site contains it."""
        documents = self.table.some({"_id": {"$in": list(ids)}}, fields={"site_id": 1, "host": 1})
        return {document["_id"]: document["site_id"] or document["host"] for document in documents}

    def hosts(self, ids: Collection[str]) -> dict[str, str]:
        """Return the host of each stored page by page id."""
        documents = self.table.some({"_id": {"$in": list(ids)}}, fields={"host": 1})
        return {document["_id"]: document["host"] for document in documents}

    def captures(self, id: str, *, limit: int = 0) -> list[Capture]:
        """Return the captures of a page, newest first, at most `limit`. 0 means all."""
        documents = self.captures_table.some({"page_id": id}, sort=[("fetched_at", -1)], limit=limit)
        return [from_document(Capture, document) for document in documents]

    def search(self, wanted: PageFilter, *, skip: int = 0, limit: int = 50) -> list[Page]:
        """Return the pages that match, most recently discovered first. A search by title is ordered by title."""
        return self._read_some(page_query(wanted), sort=page_order(wanted), skip=skip, limit=limit)

    def count_found(self, wanted: PageFilter, most: int) -> int:
        """Return how many pages match. Counting stops at `most`."""
        filter = page_query(wanted)
        return self.table.count(filter, hint=None if filter else "_id_", most=most)

    def unseen_since(self, moment: datetime, limit: int) -> list[str]:
        """Return the ids of pages without a note whose newest capture is older than `moment`, oldest first."""
        unseen = {"note": None, "capture.fetched_at": {"$lt": moment}}
        oldest = [("capture.fetched_at", 1)]
        return [document["_id"] for document in self.table.some(unseen, sort=oldest, limit=limit, fields={"_id": 1})]

    def due_recrawls(self, site_id: str, now: datetime, limit: int, *, below: float | None = None) -> list[str]:
        """Return URLs of pages of the site that are due for a recrawl and not gone, longest due first.

        below: hours. If given, include only pages with a shorter recrawl interval.
        """
        due: Document = {"site_id": site_id, "gone_at": None, "look_at": {"$lte": to_milliseconds(now)}}
        if below is not None:
            due["interval_hours"] = {"$lt": below}
        documents = self.table.some(due, sort=[("look_at", 1)], limit=limit, fields={"url": 1})
        return [document["url"] for document in documents]

    def lost_texts(self, site_id: str, since: datetime, limit: int) -> list[Page]:
        """Return pages of a site, captured since then, that had a text before and have none now."""
        which = {"note": NO_TEXT_NOTE, "capture.fetched_at": {"$gte": to_milliseconds(since)}}
        return self._read_some({**which, "site_id": site_id, "version": {"$gt": 1}}, limit=limit)

    def captured_since(self, site_id: str, since: datetime) -> Page | None:
        """Return a page of a site that was captured before and since then, or None."""
        which = {"site_id": site_id, "capture.fetched_at": {"$gte": to_milliseconds(since)}, "captures": {"$gt": 1}}
        return self._read_one(which)

    def same_body(self, digest: str, limit: int) -> list[Page]:
        """Return pages whose newest capture has this body, in the order of their discovery."""
        return self._read_some({"capture.body_digest": digest}, sort=[("first_seen", 1)], limit=limit)

    def first_with_body(self, digests: Collection[str]) -> dict[str, str]:
        """Return, by body digest, the id of the first page whose newest capture has this body."""
        first: list[Document] = [
            {"$match": {"capture.body_digest": {"$in": list(digests)}}},
            {"$sort": {"capture.body_digest": 1, "first_seen": 1}},
            {"$group": {"_id": "$capture.body_digest", "page": {"$first": "$_id"}}},
        ]
        return {document["_id"]: document["page"] for document in self.table.aggregate(first)}

    def of_host(self, host: str, limit: int) -> list[Page]:
        """Return pages of a host in the order of their ids, which is practically random."""
        return self._read_some({"host": host}, sort=[("_id", 1)], limit=limit)

    def in_directory(self, host: str, address: str, most_read: int) -> list[Page]:
        """Return pages whose URL begins with an address, among at most `most_read` pages of the host."""
        within: list[Document] = [
            {"$match": {"host": host}},
            {"$sort": {"_id": 1}},
            {"$limit": most_read},
            {"$match": {"url": {"$regex": "^" + re.escape(address)}}},
            {"$project": self._NO_PART},
        ]
        return [self._record(document) for document in self.table.aggregate(within)]

    def mark_gone(self, id: str, moment: datetime, reason: Message) -> bool:
        """Record that a page is gone. Returns False if the page is unknown or was gone before."""
        gone = {
            "gone_at": to_milliseconds(moment),
            "gone_reason": encode(reason),
            "updated_at": to_milliseconds(moment),
        }
        return self.table.update({"_id": id, "gone_at": None}, {"$set": gone})

    def mark_back(self, id: str, step: Step) -> bool:
        """Record that a page is back, and restart it at `step` if it was DONE. Returns False if it was not gone."""
        back = [{"$set": {"gone_at": None, "gone_reason": None}}, *self._restarting_done(step)]
        return self.table.find_and_change({"_id": id, "gone_at": {"$ne": None}}, back) is not None

    def mark_expired(self, id: str, before: datetime, note: str) -> bool:
        """Set `note` on a page without a note, so that its next extraction takes it through all steps.

        Returns False if the page has a note or its newest capture is not older than `before`.
        """
        unseen = {"_id": id, "note": None, "capture.fetched_at": {"$lt": to_milliseconds(before)}}
        return self.table.update(unseen, {"$set": {"note": note, "finished_version": None}})

    def mark_unexpired(self, id: str, note: str, step: Step) -> bool:
        """Remove this note and restart the page at `step` if it was DONE. Returns False if it has another note
        or none.
        """
        seen = [{"$set": {"note": None}}, *self._restarting_done(step)]
        return self.table.find_and_change({"_id": id, "note": note}, seen) is not None

    def ids(self) -> Iterator[str]:
        """Yield the ids of the pages, in order."""
        for document in self.table.each({}, by="_id", fields={"_id": 1}):
            yield document["_id"]

    def count(self) -> int:
        return self.table.count({}, hint="_id_")

    def rough_count(self) -> RoughCount:
        """Return the number of pages: exact below `MAX_EXACT_COUNT`, otherwise the estimate of the server."""
        about = self.table.estimate()
        if about >= MAX_EXACT_COUNT:
            return RoughCount(about, False)
        counted = self.table.count({}, hint="_id_", most=MAX_EXACT_COUNT)
        return RoughCount(counted, counted < MAX_EXACT_COUNT)

    def _restarting_done(self, step: Step) -> list[Document]:
        return _restart_update(step, (Step.DONE,), self._clock())

    def _look_again(self, document: Document, before: Page) -> Document | None:
        """Schedule the next recrawl according to whether the text of this capture changed."""
        look: Document = {"unread": False}
        if before.captures > 1:
            changed = document["text_digest"] != before.text_digest
            look |= look_fields(
                next_look(self._record(document).interval_hours, document["capture"]["fetched_at"], changed=changed)
            )
        return self.table.find_and_change(unchanged_page_filter(document), {"$set": look})

    def _same_text(
        self, claim: Claim[Page], changes: Document, next_step: Step, lease: timedelta | None
    ) -> Document | None:
        now, version = self._clock(), claim.record.version
        done = {**changes, "progress": fresh_progress(Step.DONE, now)}
        document = self.table.find_and_change({**claim_filter(claim), "finished_version": version}, {"$set": done})
        if document is not None:
            return document
        on = {**changes, "progress": next_progress(claim, next_step, now, lease)}
        if next_step is Step.DONE:
            on["finished_version"] = version
        return self.table.find_and_change(claim_filter(claim), {"$set": on})

    def _of_step(self, to: Step) -> Document:
        return {"finished_version": "$version"} if to is Step.DONE else {}


def _is_first_text(page: Page, text: PageText) -> bool:
    return page.version == 0 and page.captures == 1 and text.text_digest is not None


_TEXT_FIELDS: Final = tuple(field.name for field in fields(PageText))


def _text_values(text: PageText) -> dict[str, Any]:
    """Return the fields of a text. `dataclasses.asdict` would copy each value, which takes a hundred times as long."""
    return {name: getattr(text, name) for name in _TEXT_FIELDS}


def _new_text_fields(
    claim: Claim[Page], text: PageText, next_step: Step, now: datetime, lease: timedelta | None
) -> dict[str, Any]:
    """Return the fields of a page that gets a new text."""
    version = claim.record.version + 1
    changes = {
        **encode(text),
        "updated_at": to_milliseconds(now),
        "version": version,
        "candidates": [],
        "progress": next_progress(claim, next_step, now, lease),
    }
    return changes | {"finished_version": version} if next_step is Step.DONE else changes


def _restart_update(step: Step, only_from: Collection[Step], due: datetime) -> list[Document]:
    fresh = {"$literal": fresh_progress(step, due)}
    at_these = {"$in": ["$progress.step", [step.value for step in only_from]]}
    return [{"$set": {"finished_version": None, "progress": {"$cond": [at_these, fresh, "$progress"]}}}]
