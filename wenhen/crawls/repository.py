"""Store runs with their heartbeats and results, and captures from regions."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from pymongo import IndexModel

from wenhen.crawls.model import Breakage, Redirect, RegionalCapture, RegionalState, Run, RunKind, RunState
from wenhen.kit.clock import RUN_RETENTION
from wenhen.kit.errors import Message, NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.table import RecordsById, Repository, TableSpec, expiring_index, field_index
from wenhen.kit.progress import Subject, SubjectKind

RUNS = TableSpec(
    name="runs",
    schema=schema_of(Run, sole={"bsonType": "string"}),
    indexes=(
        field_index("-started_at"),
        field_index("kind", "-started_at"),
        field_index("subject", "-started_at"),
        field_index("ended_at", "heartbeat_at"),
        expiring_index("ended_at", RUN_RETENTION),
        IndexModel([("sole", 1)], unique=True, partialFilterExpression={"sole": {"$exists": True}}),
    ),
)
ID_DIGITS = 16
MAX_SILENCE_MILLISECONDS = 30_000  # longest gap between two heartbeats that counts as crawling time
_CRAWLED_SECONDS = {"$ifNull": ["$crawled_seconds", 0.0]}
_IS_GOING = {"$in": ["$state", [RunState.GOING.value, RunState.PAUSING.value, RunState.STOPPING.value, None]]}
LOST_MESSAGE = Message("crawls.lost")


class Runs(Repository):
    """Store runs by id."""

    declared = RUNS

    def start(
        self,
        kind: RunKind,
        subject: Subject | None,
        moment: datetime,
        *,
        state: RunState = RunState.GOING,
        sole: bool = False,
        due: datetime | None = None,
        recrawl: bool = False,
        addresses: Sequence[str] = (),
    ) -> Run:
        """Create a run.

        sole: raise `Conflict` if a sole run of the same kind and subject is active.
        due: scheduled time. Raise `Conflict` if a run was already started for it.
        addresses: canonical URLs that a user asked for.
        """
        moment = to_milliseconds(moment)
        due = due and to_milliseconds(due)
        id = secrets.token_hex(8) if due is None else _scheduled_run_id(kind, subject, due)
        run = Run(
            id=id,
            kind=kind,
            subject=subject,
            started_at=moment,
            heartbeat_at=moment,
            state=state,
            due=due,
            recrawl=recrawl,
            addresses=tuple(addresses),
        )
        self.table.insert(to_document(run) | ({"sole": f"{kind} {subject}"} if sole else {}))
        return run

    def beat(self, id: str, moment: datetime, counts: Mapping[str, int]) -> None:
        """Record a heartbeat. Does nothing if the run has ended."""
        self.table.find_and_change(
            {"_id": id, "ended_at": None}, [{"$set": _heartbeat_update(to_milliseconds(moment), counts)}]
        )

    def end(
        self,
        id: str,
        moment: datetime,
        counts: Mapping[str, int],
        problem: Message | None = None,
        noticed: Sequence[Message] = (),
        breakages: Sequence[Breakage] = (),
    ) -> None:
        """End a run. Does nothing if it has ended."""
        changes = {
            "problem": {"$literal": encode(problem)},
            "noticed": {"$literal": encode(tuple(noticed))},
            "breakages": {"$literal": encode(tuple(breakages))},
        }
        end: list[Document] = [
            {
                "$set": {
                    **_heartbeat_update(to_milliseconds(moment), counts),
                    "ended_at": to_milliseconds(moment),
                    **changes,
                }
            },
            {"$unset": "sole"},
        ]
        self.table.find_and_change({"_id": id, "ended_at": None}, end)

    def set_breakage(self, id: str, breakage: Breakage) -> None:
        """Add a breakage to a run, in place of one of its kind."""
        others = [one for one in self.get(id).breakages if one.kind is not breakage.kind]
        self.table.update({"_id": id}, {"$set": {"breakages": encode((*others, breakage))}})

    def ended_crawls(self, since: datetime) -> list[Run]:
        """Return the crawls that ended since then."""
        which = {"ended_at": {"$gte": to_milliseconds(since)}, "kind": RunKind.CRAWL.value}
        return [_read_run(document) for document in self.table.some(which, sort=[("ended_at", 1)])]

    def broken_crawls(self, since: datetime, limit: int) -> list[Run]:
        """Return the crawls that broke since then, the newest first."""
        which = {"kind": RunKind.CRAWL.value, "started_at": {"$gte": to_milliseconds(since)}}
        which["breakages.0"] = {"$exists": True}
        return [_read_run(document) for document in self.table.some(which, sort=[("started_at", -1)], limit=limit)]

    def set_looks(self, id: str, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Store the template classes and languages of the pages of a run."""
        looks = {"template": list(template), "languages": encode(languages)}
        self.table.update({"_id": id}, {"$set": looks})

    def note_redirects(self, id: str, redirects: Sequence[Redirect]) -> None:
        """Add redirects of requested addresses to a run."""
        self.table.update({"_id": id}, {"$push": {"redirects": {"$each": encode(tuple(redirects))}}})

    def get(self, id: str) -> Run:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound("store.no_run", id=id)
        return _read_run(document)

    def many(self, ids: Collection[str]) -> dict[str, Run]:
        """Return the existing ones among these runs by id."""
        documents = self.table.some({"_id": {"$in": list(ids)}})
        return {document["_id"]: _read_run(document) for document in documents}

    def recent(self, *, kind: RunKind | None = None, subject: Subject | None = None, limit: int = 20) -> list[Run]:
        """Return the most recently started runs, newest first."""
        which: Document = {} if kind is None else {"kind": kind.value}
        if subject is not None:
            which["subject"] = encode(subject)
        return [_read_run(document) for document in self.table.some(which, sort=[("started_at", -1)], limit=limit)]

    def active(self, kind: RunKind) -> list[Run]:
        """Return the runs that have not ended, oldest first."""
        documents = self.table.some({"ended_at": None, "kind": kind.value}, sort=[("heartbeat_at", 1)])
        return sorted((_read_run(document) for document in documents), key=lambda run: run.started_at)

    def move(
        self,
        id: str,
        states: Collection[RunState],
        to: RunState,
        moment: datetime,
        *,
        resume_at: datetime | None = None,
    ) -> bool:
        """Move an active run from one of these states to another. Returns False if it is in none of them."""
        which: Document = {"_id": id, "ended_at": None, "state": {"$in": encode(states)}}
        if RunState.GOING in states:  # runs from before this field existed have no state
            which["state"]["$in"].append(None)
        change = {"state": to.value, "heartbeat_at": to_milliseconds(moment), "resume_at": encode(resume_at)}
        return self.table.update(which, {"$set": change})

    def lose(self, id: str, moment: datetime) -> Run:
        """Record that the crawlers of a run disappeared. Raises `NotFound`."""
        document = self.table.find_and_change(
            {"_id": id}, {"$inc": {"losses": 1}, "$set": {"heartbeat_at": to_milliseconds(moment)}}
        )
        if document is None:
            raise NotFound("store.no_run", id=id)
        return _read_run(document)

    def take_silent(self, id: str, since: datetime, moment: datetime) -> bool:
        """Record a heartbeat if the last one was at `since`. Returns False if there was another or the run has
        ended.
        """
        silent = {"_id": id, "ended_at": None, "heartbeat_at": to_milliseconds(since)}
        return self.table.update(silent, {"$set": {"heartbeat_at": to_milliseconds(moment)}})

    def end_lost(self, kind: RunKind, older_than: datetime) -> int:
        # The end time is the last heartbeat, which only an update pipeline can set for many runs.
        """End runs of this kind with a heartbeat before `older_than`, and return their number."""
        ended = {"ended_at": "$heartbeat_at", "problem": {"$literal": encode(LOST_MESSAGE)}}
        end: list[Document] = [{"$set": ended}, {"$unset": "sole"}]
        silent = {"ended_at": None, "heartbeat_at": {"$lt": to_milliseconds(older_than)}, "kind": kind.value}
        return self.table.update_all(silent, end)


def _heartbeat_update(moment: datetime, counts: Mapping[str, int]) -> Document:
    """Return the update of a heartbeat. The database computes it, because several crawlers send heartbeats."""
    since = {"$dateDiff": {"startDate": "$heartbeat_at", "endDate": moment, "unit": "millisecond"}}
    crawled = {"$divide": [{"$max": [0, {"$min": [since, MAX_SILENCE_MILLISECONDS]}]}, 1000]}
    return {
        "crawled_seconds": {"$cond": [_IS_GOING, {"$add": [_CRAWLED_SECONDS, crawled]}, _CRAWLED_SECONDS]},
        "heartbeat_at": moment,
        "counts": {"$literal": encode(counts)},
    }


def _scheduled_run_id(kind: RunKind, subject: Subject | None, due: datetime) -> str:
    """Return an id that depends on the due time, so that concurrent schedulers start the run only once."""
    return sha256(f"{kind} {subject} {due.isoformat()}".encode()).hexdigest()[:ID_DIGITS]


def _read_run(document: Document) -> Run:
    run = from_document(Run, document)
    if run.kind is RunKind.REBUILD and run.subject is not None:  # stored as a site whose id is the index name
        return replace(run, subject=Subject(SubjectKind.INDEX, run.subject.id))
    return run


# Captures of pages from several regions. They have the blobs and WARC records of any capture.


REGIONAL_CAPTURES = TableSpec(
    name="regional_captures",
    schema=schema_of(RegionalCapture),
    indexes=(
        field_index("page_id", "-asked_at"),
        field_index("state", "asked_at"),
        field_index("capture.body_digest"),
        field_index("capture.rendered_digest"),
    ),
)


class RegionalCaptures(RecordsById[RegionalCapture]):
    """Store regional captures by id."""

    declared = REGIONAL_CAPTURES
    record_type = RegionalCapture
    unknown_code = "regions.no_capture"

    def add_all(self, captures: Sequence[RegionalCapture]) -> None:
        """Add new captures."""
        self.table.add_all([to_document(capture) for capture in captures])

    def put(self, capture: RegionalCapture) -> None:
        """Store a capture in place of its earlier state."""
        self.table.put(to_document(capture))

    def claim(self, now: datetime, since: datetime, id: str | None = None) -> RegionalCapture | None:
        """Take a waiting capture, this one or any that was asked for since then. No other process gets it."""
        which: Document = {"state": RegionalState.WAITING.value, "asked_at": {"$gte": to_milliseconds(since)}}
        running = {"state": RegionalState.RUNNING.value, "started_at": to_milliseconds(now)}
        document = self.table.find_and_change(which if id is None else {**which, "_id": id}, {"$set": running})
        return None if document is None else from_document(RegionalCapture, document)

    def of_page(self, page_id: str, limit: int) -> list[RegionalCapture]:
        """Return the captures of a page, those asked for last first."""
        return self._read_some({"page_id": page_id}, sort=[("asked_at", -1), ("_id", 1)], limit=limit)

    def of_pages(self, page_ids: Collection[str]) -> dict[str, list[RegionalCapture]]:
        """Return the captures of these pages that got an answer, by page, oldest first."""
        which = {"page_id": {"$in": list(page_ids)}, "state": RegionalState.DONE.value}
        found: dict[str, list[RegionalCapture]] = {}
        for document in self.table.some(which, sort=[("asked_at", 1), ("_id", 1)]):
            found.setdefault(document["page_id"], []).append(from_document(RegionalCapture, document))
        return found
