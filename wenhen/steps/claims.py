"""Claim the next step of works and pages for one worker under a lease."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import Field, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from wenhen.kit.clock import Clock
from wenhen.kit.errors import Message, NotFound
from wenhen.kit.mongo.codec import Document, encode, from_document, to_milliseconds
from wenhen.kit.mongo.table import Table, field_index
from wenhen.kit.progress import UNFINISHED, Progress, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim(Generic[T]):
    """A record that one worker holds, for one step, until its lease runs out.

    The token makes a write by a holder whose record was restarted or re-claimed meanwhile do nothing.
    """

    id: str
    step: Step
    token: str
    record: T


class ChangedText(NamedTuple):
    """When a record last changed, and its text then, None where it has none."""

    updated_at: datetime
    id: str
    digest: str | None


class Steps(Protocol[T]):
    """What works and pages share: the next step, claimed by one worker at a time."""

    def get(self, id: str) -> T: ...  # NotFound
    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[T] | None:
        """Take the record if `step` is its next step and nobody holds it; counts a try. None: nothing to do."""

    def claim_all(self, ids: Collection[str], step: Step, lease: timedelta) -> list[Claim[T]]:
        """Those of the records that `claim` would give, at the price of two questions."""

    def extend_all(self, claims: Sequence[Claim[T]], lease: timedelta) -> bool:
        """False when none of the claims holds any more."""

    def release(self, claim: Claim[T], *, due: datetime, problem: Message, counts: bool = True) -> None:
        """Give the record back after a failure, to be tried again at `due`; counts: this was one of its tries."""

    def set_aside(self, claim: Claim[T], problem: Message) -> None: ...
    def advance(self, claim: Claim[T], to: Step) -> bool:
        """Move on, due now; False when the claim no longer holds (restarted, or a newer version came in)."""

    def go_on(self, claims: Sequence[Claim[T]], to: Step, lease: timedelta | None) -> list[Claim[T]]:
        """Move on those whose claim holds, and hold them for that step as well, which counts as a try of it; without a
        lease, and at DONE, let them go. The claims of those that moved.
        """

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Give the record this next step, due now, no tries counted, any claim void; with `only_from` only where its
        present step is among them.
        """

    def due(self, now: datetime, limit: int) -> list[tuple[str, Step]]:
        """Unfinished records that nobody holds and whose time has come, oldest first."""

    def mark_queued(self, ids: Collection[str], until: datetime) -> None:
        """Note that these were put into the queue, so that the sweep leaves them alone until then."""

    def set_aside_ids(self, limit: int) -> list[str]: ...
    def texts_changed(self, after: tuple[datetime, str] | None, *, until: datetime, limit: int) -> list[ChangedText]:
        """The records in the order in which they last changed, and of one moment against that of their ids, from the
        one after this on; those that were removed are left out.
        """

    def count_by_step(self) -> dict[Step, int]:
        """The number of records at each step that has any, each as of its own moment."""

    def count_unfinished(self) -> int:
        """The records that have a step before them, all as of one moment: none is missed for being moved on, or back,
        while it is counted.
        """


# The document of a work or page stores two more values under `progress`. `token` names the claim, None without one.
# `lease_until` is its end. While a claim lasts, `due` is not before that end, so the index on (step, due) also finds
# lapsed claims. A holder whose lease lapsed may still advance the record, as long as nobody else has claimed it.


class StepRecord(Protocol):
    """What works and pages have in common: a frozen dataclass with a text version and its progress."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def version(self) -> int: ...
    @property
    def progress(self) -> Progress: ...


WorkOrPage = TypeVar("WorkOrPage", bound=StepRecord)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_COUNTED_RECORDS = 20_000  # records that are counted one by one, in some ten milliseconds
STEP_INDEX = field_index("progress.step", "progress.due")


def fresh_progress(step: Step, due: datetime) -> Document:
    """Return the progress of a record that nobody holds and nothing was tried with."""
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
    """Return the progress of a record that its holder moves on: held further on, or let go where there is no lease."""
    fresh = fresh_progress(to, now)
    if lease is None or to is Step.DONE:
        return fresh
    return {**fresh, "due": now + lease, "lease_until": now + lease, "token": claim.token, "tries": 1}


def advance_claim(
    claim: Claim[WorkOrPage], to: Step, now: datetime, lease: timedelta | None, **changes: Any
) -> Claim[WorkOrPage]:
    """Return the claim after its record was moved on this way, with what else changed of it."""
    tries = 0 if lease is None or to is Step.DONE else 1
    progress = Progress(step=to, due=now + (lease or timedelta(0)), tries=tries)
    return replace(claim, step=to, record=replace(claim.record, progress=progress, **changes))


class MongoSteps(Generic[WorkOrPage]):
    """The steps of the records in one table."""

    _UNKNOWN_CODE: ClassVar[str]  # the message for an id that no record has
    _PRESENT: ClassVar[Document] = {}  # what is true of the records that were not removed
    _NO_PART: ClassVar[Document | None] = None  # what a document holds beside the record, not to be fetched with many

    def __init__(self, table: Table, record_type: type[WorkOrPage], clock: Clock) -> None:
        self.table = table
        self._record_type: type[WorkOrPage] = record_type
        self._clock = clock

    def get(self, id: str) -> WorkOrPage:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound(self._UNKNOWN_CODE, id=id)
        return self._record(document)

    def many(self, ids: Collection[str]) -> dict[str, WorkOrPage]:
        documents = self.table.some({"_id": {"$in": list(ids)}}, fields=self._NO_PART) if ids else []
        return {document["_id"]: self._record(document) for document in documents}

    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[WorkOrPage] | None:
        token = secrets.token_hex(12)
        document = self.table.find_and_change(*self._claiming({"_id": id}, step, lease, token))
        return None if document is None else Claim(id=id, step=step, token=token, record=self._record(document))

    def claim_all(self, ids: Collection[str], step: Step, lease: timedelta) -> list[Claim[WorkOrPage]]:
        token = secrets.token_hex(12)
        which = {"_id": {"$in": list(ids)}}
        self.table.update_all(*self._claiming(which, step, lease, token))
        documents = self.table.some({**which, "progress.token": token})
        return [
            Claim(id=document["_id"], step=step, token=token, record=self._record(document)) for document in documents
        ]

    def extend_all(self, claims: Sequence[Claim[WorkOrPage]], lease: timedelta) -> bool:
        until = self._clock() + lease
        lengthened = {"$set": {"progress.lease_until": until, "progress.due": until}}
        return bool(self.table.update_all(_claims_filter(claims), lengthened))

    def release(self, claim: Claim[WorkOrPage], *, due: datetime, problem: Message, counts: bool = True) -> None:
        given_back = {
            "progress.due": due,
            "progress.problem": encode(problem),
            "progress.token": None,
            "progress.lease_until": None,
        }
        changes: Document = {"$set": given_back}
        if not counts:
            changes["$inc"] = {"progress.tries": -1}
        self.table.update(_claim_filter(claim), changes)

    def set_aside(self, claim: Claim[WorkOrPage], problem: Message) -> None:
        aside = {
            "progress.step": Step.SET_ASIDE.value,
            "progress.failed_step": claim.step.value,
            "progress.problem": encode(problem),
            "progress.due": self._clock(),
            "progress.token": None,
            "progress.lease_until": None,
        }
        self.table.update(_claim_filter(claim), {"$set": aside})

    def advance(self, claim: Claim[WorkOrPage], to: Step) -> bool:
        return self.table.update(_claim_filter(claim), {"$set": {"progress": fresh_progress(to, self._clock())}})

    def go_on(self, claims: Sequence[Claim[WorkOrPage]], to: Step, lease: timedelta | None) -> list[Claim[WorkOrPage]]:
        if not claims:
            return []
        now = self._clock()
        progress, beside = next_progress(claims[0], to, now, lease), self._of_step(to)
        change: Document | list[Document] = {"$set": {"progress": progress}}
        if beside:  # what reckons with the document costs the server a fifth more
            change = [{"$set": {"progress": {"$literal": progress}, **beside}}]
        moved = self.table.update_all(_claims_filter(claims), change)
        left = claims if moved == len(claims) else self.still_held(claims, to, same_version=True)
        return [advance_claim(claim, to, now, lease) for claim in left]

    def still_held(
        self, claims: Sequence[Claim[WorkOrPage]], step: Step, *, same_version: bool = False
    ) -> list[Claim[WorkOrPage]]:
        """Return those of the claims whose records stand at this step and are nobody else's. same_version: and have
        the text that was claimed; one with another was brought there by whoever claimed that.
        """
        mine = {"progress.token": {"$in": [None, *{claim.token for claim in claims}]}}
        which = {"_id": {"$in": [claim.id for claim in claims]}, "progress.step": step.value, **mine}
        there = {document["_id"]: document["version"] for document in self.table.some(which, fields={"version": 1})}
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
        documents = self.table.some(
            {"progress.step": {"$in": encode(UNFINISHED)}, "progress.due": {"$lte": now}},
            sort=[("progress.due", 1)],
            limit=limit,
            fields={"progress.step": 1},
        )
        return [(document["_id"], Step(document["progress"]["step"])) for document in documents]

    def mark_queued(self, ids: Collection[str], until: datetime) -> None:
        self.table.update_all({"_id": {"$in": list(ids)}}, {"$max": {"progress.due": until}})

    def set_aside_ids(self, limit: int) -> list[str]:
        documents = self.table.some(
            {"progress.step": Step.SET_ASIDE.value}, sort=[("progress.due", -1)], limit=limit, fields={"_id": 1}
        )
        return [document["_id"] for document in documents]

    def texts_changed(self, after: tuple[datetime, str] | None, *, until: datetime, limit: int) -> list[ChangedText]:
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
        return self.table.count({"progress.step": {"$in": encode(UNFINISHED)}})

    def count_by_step(self) -> dict[Step, int]:
        counts: dict[Step, int] = {
            step: self.table.count({"progress.step": step.value}) for step in Step if step is not Step.DONE
        }
        # Nearly all are done: to count a million would take longer than everything else on the screen. But the server's
        # own book-keeping, which is quick, is wrong after it was killed, so what can be counted is.
        done = self.table.count({"progress.step": Step.DONE.value}, most=MAX_COUNTED_RECORDS)
        counts[Step.DONE] = (
            max(done, self.table.estimate() - sum(counts.values())) if done == MAX_COUNTED_RECORDS else done
        )
        return {step: counts[step] for step in Step if counts[step]}

    def _restart(self, which: Document, step: Step, only_from: Collection[Step] | None) -> bool:
        if only_from is not None:
            which = {**which, "progress.step": {"$in": [step.value for step in only_from]}}
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

    def _record(self, document: Document) -> WorkOrPage:
        return from_document(self._record_type, document)


def _claim_filter(claim: Claim[WorkOrPage]) -> Document:
    return {"_id": claim.id, "progress.token": claim.token}


def _claims_filter(claims: Sequence[Claim[WorkOrPage]]) -> Document:
    tokens = {claim.token for claim in claims}
    return {"_id": {"$in": [claim.id for claim in claims]}, "progress.token": {"$in": list(tokens)}}
