"""The next step of works and pages, claimed by one worker at a time.

A document's `progress` holds what the record's does, and two things more: `token` names the claim, None where there is
none, and `lease_until` its end. While a claim lasts, `due` is not before its end, so the index on (step, due) also
finds lapsed claims. A holder whose lease lapsed may still move the record on, as long as nobody claimed it anew.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar

from store.errors import NotFound
from store.messages import Message
from store.mongo.engine.codec import Document, encode, from_document, milliseconds
from store.mongo.engine.table import Table, index
from store.mongo.engine.utc_now import Clock
from store.ports import ChangedText, Claim
from store.records import Page, Step, Work
from store.records.upkeep.progress import UNFINISHED, Progress

T = TypeVar("T", Work, Page)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COUNTED = 20_000  # records that are counted one by one, in some ten milliseconds
STEP_INDEX = index("progress.step", "progress.due")


def fresh_progress(step: Step, due: datetime) -> Document:
    """Return the progress of a record that nobody holds and nothing was tried with."""
    return {
        "step": step.value,
        "due": milliseconds(due),
        "tries": 0,
        "failed_step": None,
        "problem": None,
        "token": None,
        "lease_until": None,
    }


def following(claim: Claim[T], to: Step, now: datetime, lease: timedelta | None) -> Document:
    """Return the progress of a record that its holder moves on: held further on, or let go where there is no lease."""
    fresh = fresh_progress(to, now)
    if lease is None or to is Step.DONE:
        return fresh
    return {**fresh, "due": now + lease, "lease_until": now + lease, "token": claim.token, "tries": 1}


def moved_on(claim: Claim[T], to: Step, now: datetime, lease: timedelta | None, **changes: Any) -> Claim[T]:
    """Return the claim after its record was moved on this way, with what else changed of it."""
    tries = 0 if lease is None or to is Step.DONE else 1
    progress = Progress(step=to, due=now + (lease or timedelta(0)), tries=tries)
    return replace(claim, step=to, record=replace(claim.record, progress=progress, **changes))


class MongoSteps(Generic[T]):
    """The steps of the records in one table."""

    _PRESENT: ClassVar[Document] = {}  # what is true of the records that were not removed
    _NO_PART: ClassVar[Document | None] = None  # what a document holds beside the record, not to be fetched with many

    def __init__(self, table: Table, record_type: type[T], clock: Clock) -> None:
        self.table = table
        self._record_type: type[T] = record_type
        self._clock = clock

    def get(self, id: str) -> T:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_work" if self._record_type is Work else "store.no_page", id=id)
        return self._record(found)

    def many(self, ids: Collection[str]) -> dict[str, T]:
        found = self.table.some({"_id": {"$in": list(ids)}}, fields=self._NO_PART) if ids else []
        return {one["_id"]: self._record(one) for one in found}

    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[T] | None:
        token = secrets.token_hex(12)
        found = self.table.changed(*self._claiming({"_id": id}, step, lease, token))
        return None if found is None else Claim(id=id, step=step, token=token, record=self._record(found))

    def claim_all(self, ids: Collection[str], step: Step, lease: timedelta) -> list[Claim[T]]:
        token = secrets.token_hex(12)
        which = {"_id": {"$in": list(ids)}}
        self.table.update_all(*self._claiming(which, step, lease, token))
        found = self.table.some({**which, "progress.token": token})
        return [Claim(id=one["_id"], step=step, token=token, record=self._record(one)) for one in found]

    def extend_all(self, claims: Sequence[Claim[T]], lease: timedelta) -> bool:
        until = self._clock() + lease
        lengthened = {"$set": {"progress.lease_until": until, "progress.due": until}}
        return bool(self.table.update_all(_all_held(claims), lengthened))

    def release(self, claim: Claim[T], *, due: datetime, problem: Message, counts: bool = True) -> None:
        given_back = {
            "progress.due": due,
            "progress.problem": encode(problem),
            "progress.token": None,
            "progress.lease_until": None,
        }
        changes: Document = {"$set": given_back}
        if not counts:
            changes["$inc"] = {"progress.tries": -1}
        self.table.update(_held(claim), changes)

    def set_aside(self, claim: Claim[T], problem: Message) -> None:
        aside = {
            "progress.step": Step.SET_ASIDE.value,
            "progress.failed_step": claim.step.value,
            "progress.problem": encode(problem),
            "progress.due": self._clock(),
            "progress.token": None,
            "progress.lease_until": None,
        }
        self.table.update(_held(claim), {"$set": aside})

    def advance(self, claim: Claim[T], to: Step) -> bool:
        return self.table.update(_held(claim), {"$set": {"progress": fresh_progress(to, self._clock())}})

    def go_on(self, claims: Sequence[Claim[T]], to: Step, lease: timedelta | None) -> list[Claim[T]]:
        if not claims:
            return []
        now = self._clock()
        progress, beside = following(claims[0], to, now, lease), self._of_step(to)
        change: Document | list[Document] = {"$set": {"progress": progress}}
        if beside:  # what reckons with the document costs the server a fifth more
            change = [{"$set": {"progress": {"$literal": progress}, **beside}}]
        moved = self.table.update_all(_all_held(claims), change)
        left = claims if moved == len(claims) else self.still_held(claims, to, same_version=True)
        return [moved_on(claim, to, now, lease) for claim in left]

    def still_held(self, claims: Sequence[Claim[T]], at: Step, *, same_version: bool = False) -> list[Claim[T]]:
        """Return those of the claims whose records stand at this step and are nobody else's. same_version: and have
        the text that was claimed; one with another was brought there by whoever claimed that.
        """
        mine = {"progress.token": {"$in": [None, *{claim.token for claim in claims}]}}
        which = {"_id": {"$in": [claim.id for claim in claims]}, "progress.step": at.value, **mine}
        there = {one["_id"]: one["version"] for one in self.table.some(which, fields={"version": 1})}
        return [
            claim
            for claim in claims
            if claim.id in there and (not same_version or there[claim.id] == claim.record.version)
        ]

    def _of_step(self, to: Step) -> Document:  # noqa: ARG002  what pages keep beside
        """Return what else a record keeps that has come to this step, as expressions of an update."""
        return {}

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        return self._restart({"_id": id}, step, only_from)

    def due(self, now: datetime, limit: int) -> list[tuple[str, Step]]:
        found = self.table.some(
            {"progress.step": {"$in": encode(UNFINISHED)}, "progress.due": {"$lte": now}},
            sort=[("progress.due", 1)],
            limit=limit,
            fields={"progress.step": 1},
        )
        return [(one["_id"], Step(one["progress"]["step"])) for one in found]

    def queued(self, ids: Collection[str], until: datetime) -> None:
        self.table.update_all({"_id": {"$in": list(ids)}}, {"$max": {"progress.due": until}})

    def set_aside_ids(self, limit: int) -> list[str]:
        found = self.table.some(
            {"progress.step": Step.SET_ASIDE.value}, sort=[("progress.due", -1)], limit=limit, fields={"_id": 1}
        )
        return [one["_id"] for one in found]

    def texts_changed(self, after: tuple[datetime, str] | None, *, until: datetime, limit: int) -> list[ChangedText]:
        begin = milliseconds(after[0]) if after else EPOCH
        later: list[Document] = [{"updated_at": {"$gt": begin, "$lte": milliseconds(until)}}]
        same = [{"updated_at": begin, "_id": {"$lt": after[1]}}] if after else []
        found: list[Document] = []
        for which in same + later:
            if len(found) < limit:
                found += self.table.some(
                    {**self._PRESENT, **which},
                    sort=[("updated_at", 1), ("_id", -1)],
                    limit=limit - len(found),
                    fields={"updated_at": 1, "text_digest": 1},
                )
        return [ChangedText(one["updated_at"], one["_id"], one.get("text_digest")) for one in found]

    def count_unfinished(self) -> int:
        return self.table.count({"progress.step": {"$in": encode(UNFINISHED)}})

    def count_by_step(self) -> dict[Step, int]:
        counts: dict[Step, int] = {
            step: self.table.count({"progress.step": step.value}) for step in Step if step is not Step.DONE
        }
        # Nearly all are done: to count a million would take longer than everything else on the screen. But the server's
        # own book-keeping, which is quick, is wrong after it was killed, so what can be counted is.
        done = self.table.count({"progress.step": Step.DONE.value}, most=COUNTED)
        counts[Step.DONE] = max(done, self.table.estimate() - sum(counts.values())) if done == COUNTED else done
        return {step: counts[step] for step in Step if counts[step]}

    def _restart(self, which: Document, step: Step, only_from: Collection[Step] | None) -> bool:
        if only_from is not None:
            which = {**which, "progress.step": {"$in": [one.value for one in only_from]}}
        return self.table.update(which, {"$set": {"progress": fresh_progress(step, self._clock())}})

    def _claiming(self, which: Document, step: Step, lease: timedelta, token: str) -> tuple[Document, Document]:
        """Return which of these are free for this step, and the change that claims them."""
        now = self._clock()
        until = now + lease
        nobody = [{"progress.token": None}, {"progress.lease_until": {"$lte": now}}]
        held = {"progress.token": token, "progress.lease_until": until, "progress.due": until}
        return (
            {**which, "progress.step": step.value, "$or": nobody},
            {"$set": held, "$inc": {"progress.tries": 1}},
        )

    def _record(self, document: Document) -> T:
        return from_document(self._record_type, document)


def _held(claim: Claim[T]) -> Document:
    return {"_id": claim.id, "progress.token": claim.token}


def _all_held(claims: Sequence[Claim[T]]) -> Document:
    tokens = {claim.token for claim in claims}
    return {"_id": {"$in": [claim.id for claim in claims]}, "progress.token": {"$in": list(tokens)}}
