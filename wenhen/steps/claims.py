"""Claim the next step of works and pages for one worker under a lease."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import Field, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from wenhen.kit.clock import Clock
from wenhen.kit.errors import Message
from wenhen.kit.mongo.codec import Document, encode, from_document, to_milliseconds
from wenhen.kit.mongo.table import OpenDatabase, RecordsById, field_index
from wenhen.kit.progress import UNFINISHED, Progress, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim(Generic[T]):
    """A record that one worker holds, for one step, until its lease expires.

    The token fences writes: if the record was restarted or claimed again, writes of the earlier holder do nothing.
    """

    id: str
    step: Step
    token: str
    record: T


class ChangedText(NamedTuple):
    """The time at which a record last changed, and the digest of its text; None without text."""

    updated_at: datetime
    id: str
    digest: str | None


# In the store, `progress` has two more fields: `token` identifies the claim, and `lease_until` is its end. During a
# claim, `due` is not before that end, so the index on (step, due) also finds expired claims. A holder whose lease has
# expired may still advance the record if nobody else has claimed it.


class StepRecord(Protocol):
    """What works and pages have in common: a frozen dataclass with a text version and its progress."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def version(self) -> int: ...
    @property
    def progress(self) -> Progress: ...


WorkOrPage = TypeVar("WorkOrPage", bound=StepRecord)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_COUNTED_RECORDS = 20_000  # records that are counted one by one, in about ten milliseconds
STEP_INDEX = field_index("progress.step", "progress.due")


def fresh_progress(step: Step, due: datetime) -> Document:
    """Return the progress of a free record without tries."""
    return {
        "step": step.value,
        "due": to_milliseconds(due),
        "tries": 0,
        "failed_step": None,
        "problem": None,
        "token": None,
        "lease_until": None,
    }


def next_progress(claim: Claim[WorkOrPage], to: Step, now: datetime, lease: timedelta | None) -> Document:
    """Return the progress of a record that its holder moves on: still held, or released if there is no lease."""
    fresh = fresh_progress(to, now)
    if lease is None or to is Step.DONE:
        return fresh
    return {**fresh, "due": now + lease, "lease_until": now + lease, "token": claim.token, "tries": 1}


def advance_claim(
    claim: Claim[WorkOrPage], to: Step, now: datetime, lease: timedelta | None, **changes: Any
) -> Claim[WorkOrPage]:
    """Return the claim after its record was moved on, with further changes to the record."""
    tries = 0 if lease is None or to is Step.DONE else 1
    progress = Progress(step=to, due=now + (lease or timedelta(0)), tries=tries)
    return replace(claim, step=to, record=replace(claim.record, progress=progress, **changes))


class Steps(RecordsById[WorkOrPage]):
    """The steps of the records in one collection."""

    _PRESENT: ClassVar[Document] = {}  # condition for records that were not removed
    _NO_PART: ClassVar[Document | None] = None  # projection without extra fields, for queries of many records

    def __init__(self, database: OpenDatabase, clock: Clock) -> None:
        super().__init__(database)
        self._clock = clock

    def many(self, ids: Collection[str]) -> dict[str, WorkOrPage]:
        documents = self.table.some({"_id": {"$in": list(ids)}}, fields=self._NO_PART) if ids else []
        return {document["_id"]: self._record(document) for document in documents}

    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[WorkOrPage] | None:
        """Claim the record if `step` is its next step and it is free, and count a try. Return None otherwise."""
        token = secrets.token_hex(12)
        document = self.table.find_and_change(*self._claim_update({"_id": id}, step, lease, token))
        return None if document is None else Claim(id=id, step=step, token=token, record=self._record(document))

    def claim_all(self, ids: Collection[str], step: Step, lease: timedelta) -> list[Claim[WorkOrPage]]:
        """Claim those of the records that `claim` would, in two queries."""
        token = secrets.token_hex(12)
        which = {"_id": {"$in": list(ids)}}
        self.table.update_all(*self._claim_update(which, step, lease, token))
        documents = self.table.some({**which, "progress.token": token})
        return [
            Claim(id=document["_id"], step=step, token=token, record=self._record(document)) for document in documents
        ]

    def extend_all(self, claims: Sequence[Claim[WorkOrPage]], lease: timedelta) -> bool:
        """Extend the leases of the claims. Return False if none of them is valid any more."""
        until = self._clock() + lease
        lengthened = {"$set": {"progress.lease_until": until, "progress.due": until}}
        return bool(self.table.update_all(_claims_filter(claims), lengthened))

    def release(self, claim: Claim[WorkOrPage], *, due: datetime, problem: Message, counts: bool = True) -> None:
        """Release a record after a failure, to be tried again at `due`. counts: whether this counts as a try."""
        given_back = {
            "progress.due": due,
            "progress.problem": encode(problem),
            "progress.token": None,
            "progress.lease_until": None,
        }
        changes: Document = {"$set": given_back}
        if not counts:
            changes["$inc"] = {"progress.tries": -1}
        self.table.update(claim_filter(claim), changes)

    def set_aside(self, claim: Claim[WorkOrPage], problem: Message) -> None:
        aside = {
            "progress.step": Step.SET_ASIDE.value,
            "progress.failed_step": claim.step.value,
            "progress.problem": encode(problem),
            "progress.due": self._clock(),
            "progress.token": None,
            "progress.lease_until": None,
        }
        self.table.update(claim_filter(claim), {"$set": aside})

    def advance(self, claim: Claim[WorkOrPage], to: Step) -> bool:
        """Move on to the next step, due now. Return False if the claim is not valid (restarted, or a newer version)."""
        return self.table.update(claim_filter(claim), {"$set": {"progress": fresh_progress(to, self._clock())}})

    def go_on(self, claims: Sequence[Claim[WorkOrPage]], to: Step, lease: timedelta | None) -> list[Claim[WorkOrPage]]:
        """Move records on to the next step, and keep their claims for it, which counts as a try.

        Without a lease, and at DONE, the claims are released.

        Returns the claims of the records that moved on; the others were not valid.
        """
        if not claims:
            return []
        now = self._clock()
        progress, beside = next_progress(claims[0], to, now, lease), self._of_step(to)
        change: Document | list[Document] = {"$set": {"progress": progress}}
        if beside:  # an update with expressions costs the server a fifth more
            change = [{"$set": {"progress": {"$literal": progress}, **beside}}]
        moved = self.table.update_all(_claims_filter(claims), change)
        left = claims if moved == len(claims) else self.still_held(claims, to, same_version=True)
        if lease is None or to is Step.DONE:
            return [replace(claim, step=to) for claim in left]  # released: nobody reads their records
        return [advance_claim(claim, to, now, lease) for claim in left]

    def still_held(
        self, claims: Sequence[Claim[WorkOrPage]], step: Step, *, same_version: bool = False
    ) -> list[Claim[WorkOrPage]]:
        """Return those claims whose records are at this step and not claimed by others.

        same_version: also require the claimed text version. A record with another version was brought to the step by
        others.
        """
        mine = {"progress.token": {"$in": [None, *{claim.token for claim in claims}]}}
        which = {"_id": {"$in": [claim.id for claim in claims]}, "progress.step": step.value, **mine}
        held = {document["_id"]: document["version"] for document in self.table.some(which, fields={"version": 1})}
        return [
            claim
            for claim in claims
            if claim.id in held and (not same_version or held[claim.id] == claim.record.version)
        ]

    def _of_step(self, to: Step) -> Document:  # noqa: ARG002  pages override it
        """Return further fields of a record that has come to this step, as update expressions."""
        return {}

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Give the record this next step, due now, without tries or claim.

        only_from: restart only if the current step is among these.
        """
        return self._restart({"_id": id}, step, only_from)

    def restart_now(self, ids: Collection[str], step: Step, *, only_from: Collection[Step]) -> list[str]:
        """Restart many records that were not removed as `restart` does, in two queries.

        Returns the ids of those that were restarted.
        """
        which = {**self._PRESENT, "_id": {"$in": list(ids)}, "progress.step": {"$in": encode(only_from)}}
        again = [document["_id"] for document in self.table.some(which, fields={"_id": 1})]
        self.table.update_all(which, {"$set": {"progress": fresh_progress(step, self._clock())}})
        return again

    def due(self, now: datetime, limit: int) -> list[tuple[str, Step]]:
        """Return unfinished, free records that are due, the oldest first."""
        documents = self.table.some(
            {"progress.step": {"$in": encode(UNFINISHED)}, "progress.due": {"$lte": now}},
            sort=[("progress.due", 1)],
            limit=limit,
            fields={"progress.step": 1},
        )
        return [(document["_id"], Step(document["progress"]["step"])) for document in documents]

    def mark_queued(self, ids: Collection[str], until: datetime) -> None:
        """Note that these were queued, so that the reconciler ignores them until then."""
        self.table.update_all({"_id": {"$in": list(ids)}}, {"$max": {"progress.due": until}})

    def set_aside_ids(self, limit: int) -> list[str]:
        documents = self.table.some(
            {"progress.step": Step.SET_ASIDE.value}, sort=[("progress.due", -1)], limit=limit, fields={"_id": 1}
        )
        return [document["_id"] for document in documents]

    def texts_changed(self, after: tuple[datetime, str] | None, *, until: datetime, limit: int) -> list[ChangedText]:
        """Return the next records after this one, in order of last change.

        Records of the same time are in descending id order. Removed records are left out.
        """
        begin = to_milliseconds(after[0]) if after else EPOCH
        later: list[Document] = [{"updated_at": {"$gt": begin, "$lte": to_milliseconds(until)}}]
        same = [{"updated_at": begin, "_id": {"$lt": after[1]}}] if after else []
        documents: list[Document] = []
        for which in same + later:
            if len(documents) < limit:
                documents += self.table.some(
                    {**self._PRESENT, **which},
                    sort=[("updated_at", 1), ("_id", -1)],
                    limit=limit - len(documents),
                    fields={"updated_at": 1, "text_digest": 1},
                )
        return [
            ChangedText(document["updated_at"], document["_id"], document.get("text_digest")) for document in documents
        ]

    def count_unfinished(self) -> int:
        """Count the unfinished records in one snapshot, so that none is missed while it moves between steps."""
        return self.count_at(UNFINISHED)

    def count_at(self, steps: Collection[Step], *, most: int | None = None) -> int:
        """Count the records at these steps in one snapshot. most: number at which to stop."""
        return self.table.count({"progress.step": {"$in": encode(list(steps))}}, most=most)

    def count_by_step(self) -> dict[Step, int]:
        """Count the records at each step, without empty steps. Each count is taken at its own time."""
        counts: dict[Step, int] = {
            step: self.table.count({"progress.step": step.value}) for step in Step if step is not Step.DONE
        }
        # Nearly all records are done. Counting a million would take longer than the rest of the screen, and the fast
        # count from metadata is wrong after a crash. So small numbers are counted, and large ones estimated.
        done = self.table.count({"progress.step": Step.DONE.value}, most=MAX_COUNTED_RECORDS)
        counts[Step.DONE] = (
            max(done, self.table.estimate() - sum(counts.values())) if done == MAX_COUNTED_RECORDS else done
        )
        return {step: counts[step] for step in Step if counts[step]}

    def _restart(self, which: Document, step: Step, only_from: Collection[Step] | None) -> bool:
        if only_from is not None:
            which = {**which, "progress.step": {"$in": [step.value for step in only_from]}}
        return self.table.update(which, {"$set": {"progress": fresh_progress(step, self._clock())}})

    def _claim_update(self, which: Document, step: Step, lease: timedelta, token: str) -> tuple[Document, Document]:
        """Return the filter for free records at this step, and the update that claims them."""
        now = self._clock()
        until = now + lease
        nobody = [{"progress.token": None}, {"progress.lease_until": {"$lte": now}}]
        held = {"progress.token": token, "progress.lease_until": until, "progress.due": until}
        return (
            {**which, "progress.step": step.value, "$or": nobody},
            {"$set": held, "$inc": {"progress.tries": 1}},
        )

    def _record(self, document: Document) -> WorkOrPage:
        return from_document(self.record_type, document)


def claim_filter(claim: Claim[WorkOrPage]) -> Document:
    """Return the condition that the claim is still valid."""
    return {"_id": claim.id, "progress.token": claim.token}


def _claims_filter(claims: Sequence[Claim[WorkOrPage]]) -> Document:
    tokens = {claim.token for claim in claims}
    return {"_id": {"$in": [claim.id for claim in claims]}, "progress.token": {"$in": list(tokens)}}
