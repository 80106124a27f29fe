"""Store input that was refused or set aside, counted by its reason."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from pymongo.database import Database

from wenhen.kit.clock import CRAWL_PROBLEM_RETENTION
from wenhen.kit.errors import Conflict, Message
from wenhen.kit.mongo.codec import Document, encode, from_document, schema_of, to_milliseconds
from wenhen.kit.mongo.table import Table, TableSpec, expiring_index, field_index
from wenhen.kit.progress import Owner, Step
from wenhen.kit.text import to_storable

PIPELINE: Final = "pipeline"  # where a work or a page was set aside
CRAWL: Final = "crawl"  # where an address gave nothing
IMPORT: Final = "import"  # where a file was refused
# What a crawl says of an address that somebody has to do something about. The rest is the web's, such as a missing page
# or robots.txt, and is tried again by itself; a site that gives nothing at all is told of in the list of sites.
NEEDS_PERSON_KINDS: Final = frozenset(("soft_block", "proxy", "not_stored", "private_address"))


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What problems that are looked at together have in common: where, the kind of reason, and the step."""

    where: str
    kind: str | None
    step: Step | None

    @property
    def to_do(self) -> bool:
        """Whether somebody has to do something about these."""
        return self.where != CRAWL or self.kind in NEEDS_PERSON_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemGroup:
    """All problems of one kind. reason: of the last one."""

    which: ProblemKind
    count: int
    reason: Message
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Input that was refused or set aside, with its reason."""

    id: str
    where: str  # room: import, crawl, pipeline
    what: str  # file or address; in the pipeline an owner as text
    reason: Message
    kind: str | None = None  # class of the error, or the word that a crawl counts it by
    at: datetime
    step: Step | None = None
    times: int = 1
    run: str | None = None  # the last one in which it came up

    @property
    def owner(self) -> Owner | None:
        """The work or page that it befell; None of one that befell a file or an address."""
        return Owner.parse(self.what) if self.where == PIPELINE else None


# Input that was refused or set aside: one document for each place, thing and reason.


PROBLEMS = TableSpec(
    name="problems",
    schema=schema_of(Problem),
    indexes=(
        field_index("where", "what"),
        field_index("where", "kind", "step", "-at"),
        field_index("-at"),
        field_index("run", "kind", "what"),
        # An address that no page leads to any more is asked for no more, and nothing else would clear its problem.
        expiring_index("at", CRAWL_PROBLEM_RETENTION, only={"where": CRAWL}),
    ),
)

KIND_INDEX = "where_1_kind_1_step_1_at_-1"  # an index
_TO_DO_FILTER: Document = {
    "$or": [{"where": {"$in": [IMPORT, PIPELINE]}}, {"where": CRAWL, "kind": {"$in": list(NEEDS_PERSON_KINDS)}}]
}


class Problems:
    """Problems, each counted as often as it came up."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, PROBLEMS, address)

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
        """Note a refusal; the same one again raises its count. kind: the class of the error, or a crawl's word."""
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
        except Conflict:  # two at once noted it for the first time
            self.table.update(which, change, upsert=True)

    def clear(self, where: str, what: str) -> None:
        self.clear_all(where, [what])

    def clear_all(self, where: str, whats: Collection[str]) -> None:
        """What befell these is over."""
        self.table.delete({"where": where, "what": {"$in": [to_storable(what) for what in whats]}})

    def any_since(self, moment: datetime, where: str, whats: Collection[str]) -> bool:
        """Whether something befell one of these at that time or later."""
        these = {"where": where, "what": {"$in": [to_storable(what) for what in whats]}}
        return self.table.one({**these, "at": {"$gte": to_milliseconds(moment)}}, fields={"_id": 1}) is not None

    def newest_of(self, where: str, whats: Collection[str]) -> Problem | None:
        """What befell one of these last."""
        these = {"where": where, "what": {"$in": [to_storable(what) for what in whats]}}
        newest = self.table.some(these, sort=[("at", -1)], limit=1)
        return from_document(Problem, newest[0]) if newest else None

    def groups(self) -> list[ProblemGroup]:
        """All of them by their kind, the largest group first."""
        kind = {"where": "$where", "kind": "$kind", "step": "$step"}
        # Counted in an index, which holds all of it: of many crawls there are hundreds of thousands.
        counted = self.table.aggregate([{"$group": {"_id": kind, "count": {"$sum": 1}}}], hint=KIND_INDEX)
        newest_of_group = [(group, self.table.some(group["_id"], sort=[("at", -1)], limit=1)) for group in counted]
        groups = [
            from_document(ProblemGroup, {"which": group["_id"], "count": group["count"], **newest[0]})
            for group, newest in newest_of_group
            if newest  # it may have been cleared meanwhile
        ]
        return sorted(groups, key=lambda group: (group.count, group.at), reverse=True)

    def of_kind(self, which: ProblemKind, limit: int) -> list[Problem]:
        """Those of one kind, the newest first."""
        documents = self.table.some(encode(which), sort=[("at", -1)], limit=limit)
        return [from_document(Problem, document) for document in documents]

    def of_run(self, run: str, limit: int, kind: str | None = None) -> list[Problem]:
        """Those that came up in this run and in none after it, by kind, each kind's in the order of their addresses;
        those of one kind, where it is given.
        """
        which = {"run": run} if kind is None else {"run": run, "kind": kind}
        documents = self.table.some(which, sort=[("kind", 1), ("what", 1)], limit=limit)
        return [from_document(Problem, document) for document in documents]

    def clear_kind(self, which: ProblemKind) -> int:
        """Forget those of one kind; how many."""
        return self.table.delete(encode(which))

    def recent(self, *, limit: int = 50, to_do: bool = False) -> list[Problem]:
        """Return the problems that came up last, the newest first."""
        documents = self.table.some(_TO_DO_FILTER if to_do else {}, sort=[("at", -1)], limit=limit)
        return [from_document(Problem, document) for document in documents]

    def count(self, *, to_do: bool = False) -> int:
        """How many of them there are."""
        return self.table.count(_TO_DO_FILTER, hint=KIND_INDEX) if to_do else self.table.estimate()
