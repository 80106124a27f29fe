"""Store input that was refused or set aside, counted by reason."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from wenhen.kit.clock import CRAWL_PROBLEM_RETENTION
from wenhen.kit.errors import Conflict, Message
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_milliseconds
from wenhen.kit.mongo.table import Records, TableSpec, expiring_index, field_index
from wenhen.kit.progress import Owner, Step
from wenhen.kit.text import to_storable

PIPELINE: Final = "pipeline"  # a work or a page was set aside
CRAWL: Final = "crawl"  # an address gave no page
IMPORT: Final = "import"  # a file was refused
# Crawl problems that need a person. Others, such as a missing page or robots.txt, resolve or are retried without one.
# The list of sites shows sites that give no pages at all.
NEEDS_PERSON_KINDS: Final = frozenset(("soft_block", "proxy", "not_stored", "private_address", "spider_failed"))


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """The key of a group of problems: place, kind of reason, and step."""

    where: str
    kind: str | None
    step: Step | None

    @property
    def to_do(self) -> bool:
        """Return whether a person has to act on these problems."""
        return self.where != CRAWL or self.kind in NEEDS_PERSON_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemGroup:
    """All problems of one kind. reason: of the latest one."""

    which: ProblemKind
    count: int
    reason: Message
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Input that was refused or set aside, with its reason."""

    id: str
    where: str  # import, crawl or pipeline
    what: str  # file or address; in the pipeline an owner as text
    reason: Message
    kind: str | None = None  # class of the error, or the reason that a crawl counts
    at: datetime
    step: Step | None = None
    times: int = 1
    run: str | None = None  # the last run with this problem

    @property
    def owner(self) -> Owner | None:
        """Return the work or page of a pipeline problem; None for a file or an address."""
        return Owner.parse(self.what) if self.where == PIPELINE else None


# The collection of problems has one document per place, subject and reason.


PROBLEMS = TableSpec(
    name="problems",
    schema=schema_of(Problem),
    indexes=(
        field_index("where", "what"),
        field_index("where", "kind", "step", "-at"),
        field_index("-at"),
        field_index("run", "kind", "what"),
        # An address without links is never crawled again, so only expiry removes its problem.
        expiring_index("at", CRAWL_PROBLEM_RETENTION, only={"where": CRAWL}),
    ),
)

KIND_INDEX = "where_1_kind_1_step_1_at_-1"  # an index
_TO_DO_FILTER: Document = {
    "$or": [{"where": {"$in": [IMPORT, PIPELINE]}}, {"where": CRAWL, "kind": {"$in": list(NEEDS_PERSON_KINDS)}}]
}


class Problems(Records[Problem]):
    """Problems, each with the number of its occurrences."""

    declared = PROBLEMS
    record_type = Problem

    def put(
        self,
        where: str,
        what: str,
        reason: Message,
        moment: datetime,
        step: Step | None = None,
        *,
        kind: str | None = None,
        run: str | None = None,
    ) -> None:
        """Store a problem, or raise the count of the same one. kind: class of the error, or reason of a crawl."""
        which = {"_id": sha256("\0".join((where, what, str(reason))).encode("utf-8", "replace")).hexdigest()[:32]}
        noted = {
            "where": where,
            "what": to_storable(what),
            "reason": encode(reason),
            "kind": kind,
            "at": to_milliseconds(moment),
            "step": None if step is None else step.value,
            "run": run,
        }
        change = {"$set": noted, "$inc": {"times": 1}}
        try:
            self.table.update(which, change, upsert=True)
        except Conflict:  # two processes stored it for the first time at once
            self.table.update(which, change, upsert=True)

    def clear(self, where: str, what: str) -> None:
        self.clear_all(where, [what])

    def clear_all(self, where: str, whats: Collection[str]) -> None:
        """Delete the problems of these subjects."""
        self.table.delete({"where": where, "what": {"$in": [to_storable(what) for what in whats]}})

    def clear_below(self, where: str, what: str, before: datetime) -> None:
        """Delete the problems of this subject and of its parts (rows, sheets, inner files) that are older."""
        name = to_storable(what)
        parts = {"$or": [{"what": name}, {"what": {"$regex": f"^{re.escape(name)}(?::|!/|/)"}}]}
        self.table.delete({"where": where, **parts, "at": {"$lt": to_milliseconds(before)}})

    def any_since(self, moment: datetime, where: str, whats: Collection[str]) -> bool:
        """Return whether one of these subjects had a problem at or after that time."""
        conditions = {"where": where, "what": {"$in": [to_storable(what) for what in whats]}}
        return self.table.one({**conditions, "at": {"$gte": to_milliseconds(moment)}}, fields={"_id": 1}) is not None

    def newest_of(self, where: str, whats: Collection[str]) -> Problem | None:
        """Return the latest problem of these subjects, or None."""
        conditions = {"where": where, "what": {"$in": [to_storable(what) for what in whats]}}
        newest = self.table.some(conditions, sort=[("at", -1)], limit=1)
        return from_document(Problem, newest[0]) if newest else None

    def groups(self) -> list[ProblemGroup]:
        """Return all problems grouped by kind, the largest group first."""
        kind = {"where": "$where", "kind": "$kind", "step": "$step"}
        # The count uses a covering index: many crawls give hundreds of thousands of problems.
        counted = self.table.aggregate([{"$group": {"_id": kind, "count": {"$sum": 1}}}], hint=KIND_INDEX)
        newest_of_group = [(group, self.table.some(group["_id"], sort=[("at", -1)], limit=1)) for group in counted]
        groups = [
            from_document(ProblemGroup, {"which": group["_id"], "count": group["count"], **newest[0]})
            for group, newest in newest_of_group
            if newest  # it may have been deleted meanwhile
        ]
        return sorted(groups, key=lambda group: (group.count, group.at), reverse=True)

    def of_kind(self, which: ProblemKind, limit: int) -> list[Problem]:
        """Return the problems of one kind, the newest first."""
        return self._read_some(encode(which), sort=[("at", -1)], limit=limit)

    def of_run(self, run: str, limit: int, kind: str | None = None) -> list[Problem]:
        """Return the problems whose last occurrence was in this run, by kind and then address. kind: only this kind."""
        which = {"run": run} if kind is None else {"run": run, "kind": kind}
        return self._read_some(which, sort=[("kind", 1), ("what", 1)], limit=limit)

    def clear_kind(self, which: ProblemKind) -> int:
        """Delete the problems of one kind. Return how many."""
        return self.table.delete(encode(which))

    def recent(self, *, limit: int = 50, to_do: bool = False) -> list[Problem]:
        """Return the latest problems, the newest first. to_do: only those that need a person."""
        return self._read_some(_TO_DO_FILTER if to_do else {}, sort=[("at", -1)], limit=limit)

    def count(self, *, to_do: bool = False) -> int:
        """Count the problems. to_do: only those that need a person."""
        return self.table.count(_TO_DO_FILTER, hint=KIND_INDEX) if to_do else self.table.estimate()
